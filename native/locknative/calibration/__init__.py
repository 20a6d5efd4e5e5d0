"""Calibration: a real machine's readings become a profile that the simulator runs on.

    sweep (trials) → readings → shape, costs → profile → what the simulator predicts

- ``readings``: medians with intervals, in one regime of the machine.
- ``shape``: topology from /sys, distance classes from it and from the hand-overs.
- ``loops``: the harness's loops on a simulated machine.
- ``costs``: measured where a probe reads a cost, solved for where it reads a mixture.
- ``profile``: the TOML text.
- ``calibrate``: all of it, in order.
"""

from locknative.calibration.calibrate import Calibration, calibrate, calibration_cells

__all__ = ["Calibration", "calibrate", "calibration_cells"]

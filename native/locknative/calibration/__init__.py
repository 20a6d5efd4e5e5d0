"""Calibration: a real machine's readings become a profile that the simulator runs on.

    survey (trials) → readings → shape, costs → profile → predictions

- ``readings``: medians with intervals, in one regime of the machine.
- ``shape``: topology from /sys, distance classes from it and from the handoffs.
- ``loops``: the harness's loops on a simulated machine.
- ``costs``: measured where a probe reads one cost.
- ``fit``: solved for where it reads a mixture; each reading is also predicted by the others.
- ``expected``: how far off predictions will be.
- ``profile``: the TOML text.
- ``calibrate``: all these steps, in order; ``plots`` draws them.
- ``predictions``: measured times beside what the profile predicts.
"""

from locknative.calibration.calibrate import Calibration, calibrate, calibration_cells

__all__ = ["Calibration", "calibrate", "calibration_cells"]

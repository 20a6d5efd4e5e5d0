"""The machine that a measurement runs on.

- ``placement``: which CPUs the threads get.
- ``noise``: what disturbs a measurement on this machine.
- ``provenance``: machine, build, pinning and disturbances, as a result keeps them.
"""

"""The load that the tests of twins share."""

from locksim import machine as machines
from locksim.study.twin.load import ClassLoad

CPUS = 4
MACHINE = machines.load("desktop-4")
LOAD = ClassLoad("ticket", think_ns=2_000, hold_ns=400, spread=1.0)

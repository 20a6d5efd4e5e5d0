"""Tables that a check gives to a student's function, and how the function is called.

:mod:`lock_trace` makes the events of one lock by a simulation, :mod:`published` reads tables of
results, :mod:`call` runs the function in a sandbox.
"""

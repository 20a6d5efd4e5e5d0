"""Tables that a check gives to a student's function.

:mod:`lock_trace` makes the events of one lock by a simulation, :mod:`published` reads tables of
results, :mod:`label_curve` measures a label cache.
"""

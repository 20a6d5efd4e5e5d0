"""The twin of a lock report: a load that agrees with it, and what a change would do to that load.

A report says how often one class of locks was taken, how long it was held, and how long CPUs
waited. ``evidence`` reads one class from a table. ``load`` is a load of sections under the locks
of one class, as a program in the lock language. ``plan`` says which column moves which number of
the load, ``fit`` looks for the numbers with which the simulated report agrees, and ``root`` is the
method. ``change`` is what somebody would do to the load: another lock, more of them, a shorter
section. ``prediction`` simulates the load before and after. ``values`` says of each number where it
comes from.

No column is computed by a formula: each comes from a run of the engine. What a table does not tell
is drawn from a range, and the load is fitted again for each draw. So a prediction has a band that
holds what the report leaves open, as far as it matters for the question.
"""

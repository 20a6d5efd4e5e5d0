"""What several kinds of checks share: runs that count, proofs, how a lock waits, what calls do.

Nothing here knows a kind of check. A check runs outside the sandbox on validated data. It decides
from simulated time, counts and proofs, never from the clock. The same submission therefore gets the
same verdict on a loaded machine.
"""

"""The weakest memory orders under which a program is still proven, and what each of them is for.

The idea is VSync's "push-button" optimisation of barriers in C (Oberhauser and others, *VSync:
push-button verification and optimization for synchronization primitives on weak memory models*,
ASPLOS 2021).

:mod:`.descent` goes down in the lattice of orders, and knows no checker. :mod:`.weakest` asks the
checker, and says what is lost with each order that is kept.
"""

from locksim.checker.weakest.weakest import (
    Ask,
    Loss,
    Size,
    Weakest,
    WeakestOrder,
    refuse,
    weakest,
)

__all__ = ["Ask", "Loss", "Size", "Weakest", "WeakestOrder", "refuse", "weakest"]

"""How the operations of a litmus test are spelled: in C11, and in the Linux kernel.

A spelling is a function's name, what it does, and what its arguments are, one letter each: ``w``
the word's address, ``*`` the word itself, ``v`` the value, ``e`` what a compare-and-swap expects
(in C11 the address of that), ``o`` the order, ``f`` the order of a compare-and-swap that fails.
Names of the kernel are those of ``linux-kernel.def``, which herd7 and the kernel's
``tools/memory-model`` share. The kernel has no other orders than these: what C11 has beside them
is written as the nearest stronger thing (:func:`in_kernel`).
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.checker.litmus.program import Access
from locksim.lang.ops import ACQ_REL, ACQUIRE, RELAXED, RELEASE, SEQ_CST, Kind, Order

LOAD_PARTS = {RELEASE: RELAXED, ACQ_REL: ACQUIRE}
"""What is left of an order where a compare-and-swap fails, and so only loads."""


@dataclass(frozen=True)
class Spelling:
    """A function, as the module's docstring says; ``order`` is None where it is an argument."""

    name: str
    kind: Kind
    arguments: str
    order: Order | None = None


_FETCH = {
    "add": Kind.FETCH_ADD,
    "and": Kind.FETCH_AND,
    "or": Kind.FETCH_OR,
    "xor": Kind.FETCH_XOR,
}
_IN_C11 = [
    Spelling("atomic_load_explicit", Kind.LOAD, "wo"),
    Spelling("atomic_store_explicit", Kind.STORE, "wvo"),
    Spelling("atomic_exchange_explicit", Kind.SWAP, "wvo"),
    Spelling("atomic_compare_exchange_strong_explicit", Kind.COMPARE_SWAP, "wevof"),
    *(Spelling(f"atomic_fetch_{name}_explicit", kind, "wvo") for name, kind in _FETCH.items()),
]
C11 = (
    *_IN_C11,
    Spelling("atomic_thread_fence", Kind.FENCE, "o"),
    *(
        Spelling(s.name.removesuffix("_explicit"), s.kind, s.arguments.rstrip("of"), SEQ_CST)
        for s in _IN_C11
    ),
)

_SUFFIXES = {"": SEQ_CST, "_relaxed": RELAXED, "_acquire": ACQUIRE, "_release": RELEASE}
KERNEL = (
    Spelling("READ_ONCE", Kind.LOAD, "*", RELAXED),
    Spelling("smp_load_acquire", Kind.LOAD, "w", ACQUIRE),
    Spelling("WRITE_ONCE", Kind.STORE, "*v", RELAXED),
    Spelling("smp_store_release", Kind.STORE, "wv", RELEASE),
    Spelling("smp_mb", Kind.FENCE, "", SEQ_CST),
    Spelling("smp_rmb", Kind.FENCE, "", ACQUIRE),
    Spelling("smp_wmb", Kind.FENCE, "", RELEASE),
    *(Spelling(f"xchg{text}", Kind.SWAP, "wv", order) for text, order in _SUFFIXES.items()),
    *(
        Spelling(f"cmpxchg{text}", Kind.COMPARE_SWAP, "wev", order)
        for text, order in _SUFFIXES.items()
    ),
    *(
        Spelling(f"atomic_fetch_{name}{text}", kind, "vw", order)
        for name, kind in _FETCH.items()
        for text, order in _SUFFIXES.items()
    ),
    Spelling("atomic_read", Kind.LOAD, "w", RELAXED),
    Spelling("atomic_read_acquire", Kind.LOAD, "w", ACQUIRE),
    Spelling("atomic_set", Kind.STORE, "wv", RELAXED),
    Spelling("atomic_set_release", Kind.STORE, "wv", RELEASE),
    *(Spelling(f"atomic_xchg{text}", Kind.SWAP, "wv", order) for text, order in _SUFFIXES.items()),
    *(
        Spelling(f"atomic_cmpxchg{text}", Kind.COMPARE_SWAP, "wev", order)
        for text, order in _SUFFIXES.items()
    ),
)


def spelling(access: Access, *, kernel: bool, atomic: bool | None = None) -> Spelling | None:
    """The first spelling of an access that is not plain, or None if the dialect has none.

    Arguments:
        atomic: in the kernel, whether the word is an ``atomic_t``; None: that does not matter.
    """
    for known in KERNEL if kernel else C11:
        fits = not kernel or atomic in (None, known.name.startswith("atomic_"))
        if known.kind == access.kind and known.order in (None, access.order):
            if fits or access.kind == Kind.FENCE:
                return known
    return None


def in_kernel(access: Access) -> tuple[list[Access], str]:
    """An access as the kernel can spell it, after fences that it needs, and a remark about that.

    The kernel's read-modify-writes without a suffix are ordered against everything before and
    after, so they stand for ACQ_REL and SEQ_CST. A SEQ_CST load or store has a full fence before
    it, as compilers for Power write it. A full fence stands for each weaker one.
    """
    kind, order = access.kind, access.order
    if access.plain or (kind != Kind.FENCE and spelling(access, kernel=True)):
        return [access], ""
    if kind == Kind.FENCE:
        remark = "" if order == SEQ_CST else f"fence({order.name}): smp_mb() is stronger"
        return [Access(kind, order=SEQ_CST)], remark
    if kind in (Kind.LOAD, Kind.STORE):
        weaker = ACQUIRE if kind == Kind.LOAD else RELEASE
        again = Access(kind, access.word, access.arguments, weaker)
        return [Access(Kind.FENCE, order=SEQ_CST), again], (
            f"{kind.name.lower()} SEQ_CST: written as smp_mb() and {weaker.name}"
        )
    again = Access(kind, access.word, access.arguments, SEQ_CST)
    return [again], f"{kind.name.lower()} {order.name}: the full barrier of the kernel is stronger"

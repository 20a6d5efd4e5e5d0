"""Which functions of a library a program may call.

A library's code is not instrumented: what it does to the program's memory would not be seen. So
each name that a program uses without defining it is one of these, or the program is refused:

- modelled: the runtime has a function of its own in its place (explorer/doors.def);
- pure: it works on the values of its arguments, on constants of its own, and on nothing else;
- idle: it may be called, and does nothing that the search depends on. The verdict names it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from locknative.errors import NativeError

__all__ = ["examine_names", "renames"]

_PURE = re.compile(
    r"""
    ( acosh? | asinh? | atanh? | atan2 | cosh? | sinh? | tanh? | exp | exp2 | expm1 | exp10 | log
    | log10 | log1p | log2 | logb | ilogb | pow | sqrt | cbrt | hypot | fabs | floor | ceil | trunc
    | l?l?round | l?l?rint | nearbyint | fmod | remainder | fmin | fmax | fdim | fma | copysign
    | nextafter | nexttoward | ldexp | scalbl?n | erfc? | tgamma
    | (__)?(isnan|isinf|finite) | __fpclassify | __signbit )[fl]?
    | abs | ll?abs | imaxabs | ffs | ffsll? | hton[ls] | ntoh[ls]
    | is(alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit)
    | to(upper|lower|ascii) | __ctype_(b|toupper|tolower)_loc
    | fe(raise|test|clear)except | fe[gs]etround | __atomic_feraiseexcept
    | close | lseek
    | sysconf | getp?pid | gettid | getpagesize | strerror | (secure_)?getenv
    | stdin | stdout | stderr | (__)?environ | program_invocation_(short_)?name | __progname
    | _GLOBAL_OFFSET_TABLE_
    | __(start|stop)_\w+
    """,
    re.VERBOSE,
)
"""Functions of numbers, file descriptors among them; constants; variables of the C library and of
the linker, whose accesses are seen like all others."""

_HELPERS = re.compile(r"__[a-z]+([sdth]i|[sdxth]f|[sdxt]c)+[0-9]?")
"""Arithmetic that the compiler calls: 128-bit division, conversions, population counts."""

_ATTRIBUTES = re.compile(
    r"pthread_(attr|mutexattr|condattr|rwlockattr|barrierattr)_\w+|pthread_setname_np"
)
"""Attributes of objects to come, of which the models ask for what they need."""

_IDLE = re.compile(
    r"(pthread|sched)_set(affinity(_np)?|concurrency)|sched_getcpu|__sched_cpucount"
    r"|set(vbuf|buf|linebuf)|clock"
)

_OURS = re.compile(r"__tsan_\w+|__sanitizer_cov_trace_pc|locklab_\w+|program_\w+")


def renames(doors: Path, defined: Collection[str] = ()) -> str:
    """Return objcopy's list: names that the program calls, and what the runtime calls them.

    Args:
        doors: explorer/doors.def. defined: what the program has itself.
    """
    names = re.findall(r"^PROGRAM\((\w+)\)", doors.read_text(), re.MULTILINE)
    own = [name for name in names if name not in defined]
    pairs = [(name, f"program_{name}") for name in ["main", *own]]
    pairs += [(name, f"__tsan_{name}") for name in ("memcpy", "memmove", "memset")]
    return "".join(f"{old} {new}\n" for old, new in pairs)


def examine_names(used: Collection[str], defined: Collection[str], what: str) -> list[str]:
    """Return what a program calls that does nothing here, in alphabetical order.

    Args:
        used: names that its objects use and do not define, after :func:`renames`.
        defined: names that they define. what: the program, for the message.

    Raises:
        NativeError: it calls what the explorer does not know.
    """
    allowed = (_OURS, _PURE, _HELPERS, _ATTRIBUTES, _IDLE)
    foreign = sorted(set(used) - set(defined))
    for name in foreign:
        if not any(known.fullmatch(name) for known in allowed):
            shown = re.sub("^__isoc[0-9]+_", "", name)
            raise NativeError(
                f"{what} calls {shown}(), which the explorer does not support: it would not see "
                "what the function does to memory; leave the call out of the test, or write it in C"
            )
    return [name for name in foreign if _IDLE.fullmatch(name)]

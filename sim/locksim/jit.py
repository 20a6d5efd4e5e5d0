"""Compiled code: one way to make it, keep it and know when it is out of date.

Functions that are compiled stand in their modules as plain Python, and run so where numba is
missing or switched off (``NUMBA_DISABLE_JIT=1``). :func:`compilable` lets compiled code call them,
:func:`kept` makes those few that Python calls.

Numba keeps machine code on disk and compiles anew when *the file of the function* changes, not when
a function or a number that it uses from another file does. An engine or a checker that runs stale
code gives wrong results. So only the functions of :func:`kept` stay on disk, and each holds a
digest of all sources behind it in its closure, which numba makes part of the key.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from locksim.lang import words
from lockui.portable import exclusive

_PACKAGE = Path(__file__).parent
_F = TypeVar("_F", bound=Callable[..., Any])


def enabled() -> bool:
    """Whether functions can be compiled here; looks for numba, but does not import it."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    try:
        return importlib.util.find_spec("numba") is not None
    except ModuleNotFoundError:
        return False


def digest(sources: tuple[str, ...]) -> int:
    """A number that stands for the text of some files of the package.

    Arguments:
        sources: paths relative to the package's folder.
    """
    text = b"".join((_PACKAGE / source).read_bytes() for source in sources)
    return int.from_bytes(hashlib.sha256(text).digest()[:7], "big")


def compilable(function: _F, **options: Any) -> _F:
    """Let compiled code call a plain function, if there is any; gives the function itself.

    Arguments:
        function: what it calls.
        options: of ``numba.njit``. With ``_nrt=False`` references to arrays are not counted, which
            would be an atomic operation whenever one is passed on. Such a function must not
            allocate; one that does is not compiled.
    """
    if enabled():
        from numba.extending import register_jitable

        _words()
        register_jitable(**{"inline": "never", **options})(function)
    return function


def kept(function: Callable[..., Any], sources: tuple[str, ...], **options: Any) -> Any:
    """Compile a function for Python to call, and keep the machine code on disk.

    Arguments:
        function: what :func:`compilable` was called for.
        sources: every file whose functions and numbers are compiled in.
        options: of ``numba.njit``.
    """
    from numba import njit

    key = digest(sources)

    def entry(*arguments):  # type: ignore[no-untyped-def]
        if key == 0:  # it has to be used, or it would not be in the closure
            raise ValueError
        return function(*arguments)

    # Numba names the files after these.
    entry.__qualname__ = f"{function.__module__}.{function.__qualname__}"
    entry.__doc__ = function.__doc__
    dispatcher = njit(cache=True, **options)(entry)
    compile_or_load = dispatcher.compile

    def compile_alone(signature: Any) -> Any:
        with _alone(Path(dispatcher.stats.cache_path, f"{entry.__qualname__}.lock")):
            return compile_or_load(signature)

    dispatcher.compile = compile_alone
    return dispatcher


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one process compile at a time: the others wait, and load what it has stored.

    A cold start of several workers would compile the same function several times. Without a lock
    file (a read-only folder, a file system without locks) each process compiles for itself.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            exclusive(stack.enter_context(path.open("ab")))
        yield


@cache
def _words() -> None:
    """Compiled numbers wrap round by themselves; compiled rows are arrays."""
    import numpy as np
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload

    @overload(words.wrap64)
    def _wrap64(value):  # type: ignore[no-untyped-def]
        return lambda value: np.int64(value)

    @overload(words.index)
    def _index(at):  # type: ignore[no-untyped-def]
        return lambda at: np.uint64(at)

    @intrinsic
    def fetch(context, row, at):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
            called = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
            module = builder.module
            function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
                module, called, "llvm.prefetch.p0"
            )
            element = builder.bitcast(builder.gep(array.data, [arguments[1]]), byte)
            # To be read, kept in all caches, of data.
            builder.call(function, [element, *(ir.Constant(number, k) for k in (0, 3, 1))])
            return context.get_dummy_value()

        return types.void(row, at), generate

    @overload(words.prefetch)
    def _prefetch(row, at):  # type: ignore[no-untyped-def]
        return lambda row, at: fetch(row, at)  # type: ignore[call-arg]

    @overload(words.zeros)
    def _zeros(n):  # type: ignore[no-untyped-def]
        return lambda n: np.zeros(n, np.int64)

    # Unsigned, since a signed overflow is undefined (lang/words.py).
    @overload(words.plus)
    def _plus(a, b):  # type: ignore[no-untyped-def]
        return lambda a, b: np.int64(np.uint64(a) + np.uint64(b))

    @overload(words.minus)
    def _minus(a, b):  # type: ignore[no-untyped-def]
        return lambda a, b: np.int64(np.uint64(a) - np.uint64(b))

    @overload(words.times)
    def _times(a, b):  # type: ignore[no-untyped-def]
        return lambda a, b: np.int64(np.uint64(a) * np.uint64(b))

    @overload(words.shifted)
    def _shifted(value, bits):  # type: ignore[no-untyped-def]
        return lambda value, bits: np.int64(np.uint64(value) >> np.uint64(bits))

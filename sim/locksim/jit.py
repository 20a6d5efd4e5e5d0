"""Compiled code: one way to make it, keep it and know when it is out of date.

Functions that are compiled stand in their modules as plain Python, and run so where numba is
missing or switched off (``NUMBA_DISABLE_JIT=1``). :func:`compilable` lets compiled code call them,
:func:`kept` makes those few that Python calls.

Numba keeps machine code on disk and compiles anew when *the file of the function* changes, not when
a function or a number that it uses from another file does. An engine or a checker that runs stale
code gives wrong results. So only the functions of :func:`kept` stay on disk, and what numba uses as
the time of the file is a digest of all sources behind it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

from locksim.lang import words
from lockui.portable import exclusive

_PACKAGE = Path(__file__).resolve().parent
_BESIDE = _PACKAGE / "__pycache__"
_F = TypeVar("_F", bound=Callable[..., Any])
_INNER = "locklab_inner."
"""What the names of functions that only compiled code calls begin with, as numba sees them."""


def enabled() -> bool:
    """Whether functions can be compiled here; looks for numba, but does not import it."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    if sys.modules.get("numba") is not None:  # found before: an engine asks at each of its stops
        return True
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


def compilable(function: _F, *, instead: Callable[..., Any] | None = None, **options: Any) -> _F:
    """Let compiled code call a plain function, if there is any; gives the function itself.

    The function must not allocate (``_nrt=True`` lets it): otherwise each of its arrays costs
    reference counts, in code to compile and in time to run.

    Arguments:
        function: what it calls.
        instead: gives for numba's types of the arguments the plain function to compile in its
            place, or None: this one.
        options: of ``numba.njit``. With ``_nrt=False`` references to arrays are not counted, which
            would be an atomic operation whenever one is passed on. Such a function must not
            allocate; one that does is not compiled.
    """
    if enabled():
        _prepare()
        inner = _inner(function)

        def chosen(*types: Any, **_: Any) -> Any:
            other = instead(*types) if instead is not None else None
            return inner if other is None else _inner(other)

        given = {"_nrt": False, "no_cfunc_wrapper": True, **options}
        overload = _numba("extending").overload
        overload(function, jit_options=given, strict=False)(chosen)
    return function


def _inner(function: Any) -> Any:
    """A copy of a function, whose name says that only compiled code calls it."""
    inner = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    inner.__qualname__ = f"{_INNER}{function.__module__}.{function.__qualname__}"
    return inner


def cache_folders(environment: Mapping[str, str]) -> list[Path]:
    """The folders where compiled code may be kept, in order of preference.

    A virtual environment takes that of the package along when it is removed.
    """
    home = environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    chosen = environment.get("NUMBA_CACHE_DIR")
    return [Path(chosen)] if chosen else [_BESIDE, Path(home, "locklab", "compiled")]


def folder() -> Path | None:
    """The first of these folders that can be written; None: none can."""
    return next((path for path in cache_folders(os.environ) if _writable(path)), None)


def _writable(path: Path) -> bool:
    """Whether a folder can be written, or made."""
    there = path
    while not there.exists() and there != there.parent:
        there = there.parent
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def kept(function: Callable[..., Any], sources: tuple[str, ...], **options: Any) -> Any:
    """Compile a function for Python to call, and keep the machine code on disk.

    Arguments:
        function: plain Python.
        sources: every file whose functions and numbers are compiled in.
        options: of ``numba.njit``.
    """
    _prepare()
    dispatcher = _numba().njit(no_cfunc_wrapper=True, **options)(function)
    with suppress(RuntimeError):  # numba finds no folder that it can write to
        _keep(dispatcher, digest(sources))
    return dispatcher


def _keep(dispatcher: Any, stamp: int) -> None:
    """Keep what a dispatcher compiles; what was kept with another stamp is not used again."""
    caching, config, function = _numba("core.caching"), _numba("core.config"), dispatcher.py_func
    chosen, theirs = folder(), config.CACHE_DIR
    if chosen not in (None, _BESIDE):
        config.CACHE_DIR = str(chosen)  # of numba's own choice, nobody would know whose it is
    try:
        cache = caching.FunctionCache(function)
    finally:
        config.CACHE_DIR = theirs
    major, minor = sys.version_info[:2]
    name = f"{function.__module__}.{function.__qualname__}.py{major}{minor}"
    cache._cache_file = caching.IndexDataCacheFile(cache.cache_path, name, stamp)
    # Numba reads on only where its version is right: with another stamp, classes may be missing.
    cache._cache_file._version += f" {stamp}"
    dispatcher._cache = cache
    compile_or_load = dispatcher.compile

    def compile_alone(signature: Any) -> Any:
        with alone(Path(cache.cache_path, f"{name}.lock")):
            return compile_or_load(signature)

    dispatcher.compile = compile_alone


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Let one process compile at a time: the others wait, and load what it has stored.

    A cold start of several workers would compile the same function several times. Without a lock
    file (a read-only folder, a file system without locks) each process compiles for itself.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            exclusive(stack.enter_context(path.open("ab")))
        yield


def _numba(module: str = "") -> Any:
    """Numba, or one of its modules; untyped, since not all that is used here is public."""
    return import_module(f"numba.{module}" if module else "numba")


@cache
def _prepare() -> None:
    """Prepare numba for the functions of this package."""
    _compile_once()
    _compare_fast()
    _words()


def _compile_once() -> None:
    """Let numba optimise a function and make machine code of it only where Python calls it.

    By itself numba does that for every function with all that it calls, so again and again with
    each caller: half of the time. An inner function's library is only linked, with those that it
    links itself, into the library of a function that Python calls.
    """
    base: Any = _numba("core.codegen").JITCodeLibrary

    class Library(base):  # type: ignore[misc]
        def finalize(self) -> None:
            if self.name.startswith(_INNER):
                self._raise_if_finalized()
                self._finalized = True
            else:
                super().finalize()

        def add_linking_library(self, library: Any) -> None:
            super().add_linking_library(library)
            if library.name.startswith(_INNER):
                for behind in library._linking_libraries:
                    super().add_linking_library(behind)

    codegen = _numba("core.registry").cpu_target.target_context.codegen()
    set_environment = codegen.set_env

    def set_env(name: str, environment: Any) -> None:
        if codegen._engine.get_global_value_address(name):  # an inner function is not there yet
            set_environment(name, environment)

    codegen._library_class, codegen.set_env = Library, set_env


def _compare_fast() -> None:
    """Let numba look its options up fast: they are part of a key, for each call that it types."""
    options = _numba("core.compiler").Flags
    defaults = {name: option.default for name, option in options.options.items()}
    options.values = lambda chosen: {**defaults, **chosen._values}


def _words() -> None:
    """Compiled numbers wrap round by themselves; compiled rows are arrays."""
    import numpy as np

    ir, cgutils = import_module("llvmlite.ir"), _numba("core.cgutils")
    types, extending = _numba("types"), _numba("extending")
    intrinsic, overload = extending.intrinsic, extending.overload

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
            function = cgutils.get_or_insert_function(module, called, "llvm.prefetch.p0")
            element = builder.bitcast(builder.gep(array.data, [arguments[1]]), byte)
            # To be read, kept in all caches, of data.
            builder.call(function, [element, *(ir.Constant(number, k) for k in (0, 3, 1))])
            return context.get_dummy_value()

        return types.void(row, at), generate

    @overload(words.prefetch)
    def _prefetch(row, at):  # type: ignore[no-untyped-def]
        return lambda row, at: fetch(row, at)

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

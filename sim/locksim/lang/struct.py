"""Structs, locks and workloads: the classes that programs are written in.

An instance made by a user (``TicketLock()``, ``AVC(slots=64)``) is a *description*: a class with
parameters and parts. The engines *place* it: a copy of the description that knows its address,
whose fields are real words of simulated memory. The methods of a struct are the programs.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Generator
from typing import Any, ClassVar, TypeVar, cast

from locksim.lang.fields import Field, array, param, part, word
from locksim.lang.layout import Layout, Space
from locksim.lang.ops import Kind, Mark, Op

Program = Generator[Op, Any, Any]
_S = TypeVar("_S", bound="Struct")

METERS: dict[str, tuple[Mark | None, Mark, Mark | None]] = {
    "acquire": (Mark.ACQUIRE_START, Mark.ACQUIRED, None),
    "try_acquire": (Mark.ACQUIRE_START, Mark.ACQUIRED, Mark.TRY_FAILED),
    "read_acquire": (Mark.READ_START, Mark.READ_ACQUIRED, None),
    "read_try_acquire": (Mark.READ_START, Mark.READ_ACQUIRED, Mark.READ_TRY_FAILED),
    "release": (None, Mark.RELEASED, None),
    "read_release": (None, Mark.READ_RELEASED, None),
    "downgrade": (Mark.RELEASED, Mark.READ_ACQUIRED, None),
    "try_upgrade": (Mark.READ_RELEASED, Mark.ACQUIRED, Mark.READ_ACQUIRED),
    "acquire_if_zero": (Mark.ACQUIRE_START, Mark.TRY_FAILED, Mark.ACQUIRED),
}
"""Role of a metered method: the marks before its body, after it, and where it gave 0 or NULL.

A release is marked *before* its body: as in lockmeter, the handoff is not part of the hold time.
"""


METER_MARKS = frozenset(mark for marks in METERS.values() for mark in marks if mark is not None)
"""The marks of metered methods."""


class Struct:
    """Words that lie together in memory, and programs that work on them.

    ``METERED`` names the methods that the lock meters watch: method name → role (a key of
    ``METERS``). A metered method may call others of the same struct, through ``self``: only the
    outermost one counts.

    ``RECURSIVE`` says that a lock's holder may enter it again. It then holds the lock until it has
    left as often as it entered.
    """

    METERED: ClassVar[dict[str, str]] = {}
    RECURSIVE: ClassVar[bool] = False
    FIELDS: ClassVar[dict[str, Field]] = {}
    _layout: Layout | None = None
    _base: int = 0
    _metered_by_caller: bool = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        fields: dict[str, Field] = {}
        for base in reversed(cls.__mro__):
            fields.update({k: v for k, v in vars(base).items() if isinstance(v, Field)})
        cls.FIELDS = fields
        for name, role in cls.METERED.items():
            if name in vars(cls):
                setattr(cls, name, _metered(vars(cls)[name], role))

    def __init__(self, **settings: Any) -> None:
        """Describe a struct.

        Arguments:
            settings: a number for a ``param``, or a struct (class or instance) for a ``part`` or an
                array of structs.

        Raises:
            TypeError: a setting that the struct does not have, or of the wrong kind.
        """
        cls = type(self)
        self._params: dict[str, int] = {}
        self._parts: dict[str, Struct] = {}
        for name, field in cls.FIELDS.items():
            given = settings.pop(name, None)
            if isinstance(field, param):
                value = field.default if given is None else given
                if isinstance(value, bool) or not isinstance(value, int):
                    raise TypeError(
                        f"{cls.__name__}({name}=...) takes a whole number, not {value!r}"
                    )
                self._params[name] = value
            elif isinstance(field, part) or (
                isinstance(field, array) and not isinstance(field.of, word)
            ):
                value = cast(Any, field.of if given is None else given)
                self._parts[name] = value() if isinstance(value, type) else value
                if not isinstance(self._parts[name], Struct):
                    raise TypeError(f"{cls.__name__}({name}=...) takes a struct, not {value!r}")
            elif given is not None:
                raise TypeError(
                    f"{cls.__name__}.{name} is a {type(field).__name__}: it cannot be set here"
                )
        if settings:
            known = ", ".join([*self._params, *self._parts]) or "none"
            raise TypeError(
                f"{cls.__name__} has no setting {next(iter(settings))!r} (it has: {known})"
            )
        parts = tuple((name, p.key()) for name, p in self._parts.items())
        self._key = cls, tuple(self._params.items()), parts

    def key(self) -> tuple[Any, ...]:
        """What makes two descriptions the same: class, parameters and parts."""
        return self._key

    def placed(self: _S, base: int, space: Space) -> _S:
        """The description at an address (word index) of simulated memory."""
        view = object.__new__(type(self))
        view._params, view._parts, view._key = self._params, self._parts, self._key
        view._base, view._layout = base, space.layout(self)
        return view

    def __int__(self) -> int:
        if self._layout is None:
            raise TypeError(
                f"{type(self).__name__} has no address yet: it exists only while a program runs"
            )
        return self._base

    __index__ = __int__

    def __bool__(self) -> bool:
        return self._layout is None or self._base != 0

    def __eq__(self, other: object) -> bool:
        if self._layout is None or not isinstance(other, Struct | int):
            return self is other
        return self._base == int(other)

    def __hash__(self) -> int:
        return hash(self._base) if self._layout is not None else id(self)

    def __repr__(self) -> str:
        if self._layout is not None:
            return f"<{type(self).__name__} at {self._base}>" if self._base else "NULL"
        settings = [f"{k}={v}" for k, v in self._params.items()]
        settings += [f"{k}={v!r}" for k, v in self._parts.items()]
        return f"{type(self).__name__}({', '.join(settings)})"


def _metered(body: Callable[..., Program], role: str) -> Callable[..., Program]:
    before, after, failed = METERS[role]

    @functools.wraps(body)
    def program(self: Struct, *args: Any) -> Program:
        if self._metered_by_caller:
            return (yield from body(self, *args))
        inside = copy.copy(self)
        inside._metered_by_caller = True
        if role.endswith("release"):
            yield Op(Kind.MARK, int(self), int(after))
            return (yield from body(inside, *args))
        if before is not None:
            yield Op(Kind.MARK, int(self), int(before))
        result = yield from body(inside, *args)
        yield Op(Kind.MARK, int(self), int(failed if failed is not None and not result else after))
        return result

    return program


#: The checker's memory models, from the strongest to the weakest.
ALL_MODELS = ("sc", "tso", "c11")


class Lock(Struct):
    """A mutual-exclusion lock: ``acquire()``, ``release()``, perhaps ``try_acquire()``.

    ``try_acquire()`` gives nonzero on success.
    """

    MODELS: ClassVar[tuple[str, ...]] = ALL_MODELS
    """The memory models that the lock claims to be right under; the checker holds it to that."""
    TRY_MAY_FAIL: ClassVar[int] = 0
    """1 if a try may fail although the lock is free, as C++ allows ``mutex::try_lock``."""

    METERED: ClassVar[dict[str, str]] = {
        "acquire": "acquire",
        "try_acquire": "try_acquire",
        "release": "release",
    }


class RWLock(Struct):
    """A reader-writer lock: ``read_acquire/read_release`` and ``write_acquire/write_release``.

    Some of these locks have further methods. ``read_try_acquire()`` and ``write_try_acquire()``
    return nonzero on success, and never wait. ``downgrade()`` makes the writer a reader, and no
    other writer gets in between. ``try_upgrade()`` makes the only reader the writer and returns
    nonzero; otherwise it returns 0, and the reader stays a reader.
    """

    MODELS: ClassVar[tuple[str, ...]] = ALL_MODELS
    TRY_MAY_FAIL: ClassVar[int] = 0
    """1 if a try may fail although no other thread is inside or waits."""
    NESTED_READERS: ClassVar[int] = 0
    """1 if a thread that reads may read once more, whoever waits meanwhile."""

    METERED: ClassVar[dict[str, str]] = {
        "read_acquire": "read_acquire",
        "read_try_acquire": "read_try_acquire",
        "read_release": "read_release",
        "write_acquire": "acquire",
        "write_try_acquire": "try_acquire",
        "write_release": "release",
        "downgrade": "downgrade",
        "try_upgrade": "try_upgrade",
    }


class SeqLock(Struct):
    """A sequence lock: writers exclude one another; a reader checks at its end for a writer.

    ``read_begin()`` returns a number. ``read_retry(number)`` returns nonzero if a writer may have
    changed the data since then; the reader must then read again. Writers use
    ``write_acquire/write_release``. A lock with readers that wait also has
    ``read_acquire/read_release``.
    """

    MODELS: ClassVar[tuple[str, ...]] = ALL_MODELS

    METERED: ClassVar[dict[str, str]] = {
        "read_acquire": "read_acquire",
        "read_release": "read_release",
        "write_acquire": "acquire",
        "write_release": "release",
    }


class CountedRef(Lock):
    """A lock with a reference count, at first 1: ``get()`` takes a reference, ``put()`` drops one.

    ``put()`` returns the number of references that are left. A thread that gets 0 is the only user
    of the object. Between ``acquire()`` and ``release()`` the count does not change;
    ``references()`` returns it. Some locks have ``put_or_lock()``. It drops a reference and returns
    nonzero. If the reference is the last one, it keeps the reference, takes the lock and returns 0.
    """

    METERED: ClassVar[dict[str, str]] = {**Lock.METERED, "put_or_lock": "acquire_if_zero"}


class ReadCopyUpdate(Struct):
    """Readers that no thread waits for, except one that frees what they may still see.

    A reader is between ``read_lock()`` and ``read_unlock()``; such sections may nest.
    ``synchronize_rcu()`` must be called outside of them. It returns when all readers that were
    inside have left. Every CPU that takes part must call ``quiescent()`` now and then at a place
    where it holds no reference, and ``offline()`` before it stops.
    """

    MODELS: ClassVar[tuple[str, ...]] = ALL_MODELS


class SleepableRCU(Struct):
    """Read-copy update whose readers may give up their CPU: each struct is a domain of its own.

    ``rank = read_lock()`` begins a read section, and ``read_unlock(rank)`` ends it. The thread may
    have moved to another CPU in between. Read sections may nest. ``synchronize_srcu()`` must be
    called outside the read sections of this domain. It returns when all readers of the domain that
    were inside have left.
    """

    MODELS: ClassVar[tuple[str, ...]] = ALL_MODELS


class CountingSemaphore(Struct):
    """Permits that threads take and give back: ``down()`` waits for one, ``up()`` adds one.

    A new semaphore has ``permits`` permits. Any thread may add a permit, even if it has taken none.
    Some semaphores have ``try_down()``. It never waits, and returns nonzero if it took a permit.

    Arguments:
        permits: at the start, from 0.
    """

    MODELS: ClassVar[tuple[str, ...]] = ALL_MODELS
    TRY_MAY_FAIL: ClassVar[int] = 0
    """1 if a try may fail although there is a permit."""

    permits = param(1)


class DecisionCache(Struct):
    """A cache of decisions: words of two halves, kept by key, read by all and replaced by few.

    ``lookup(key)`` returns ``allowed + (audit << 32)`` of the key's entry, or 0 if there is no
    entry. ``replace(key, allowed, audit)`` sets the decision of the key, and makes an entry if
    there is none. A thread that looks up the key meanwhile gets the old decision or the new one,
    never a mixture. ``reclaim()`` removes and frees every entry that was neither looked up nor
    replaced since the last ``reclaim()``, and returns the number of these entries. A key is not 0,
    ``allowed`` is below 2 ** 32, and ``audit`` is from 1 to below 2 ** 31.

    Every CPU that takes part must call ``quiescent()`` now and then outside of these methods, and
    ``offline()`` before it stops. In a cache without RCU the two methods do nothing.
    """

    MODELS: ClassVar[tuple[str, ...]] = ALL_MODELS


class Workload(Struct):
    """What the CPUs run: ``thread()`` is a thread's program, ``yield done()`` ends a unit of work.

    Any struct may have a ``setup()`` program. It runs before time 0, on CPU 0, at no cost. The
    parts of a struct run theirs first, and then the struct itself.

    A workload can have more threads than CPUs. It then has a ``param`` ``tasks`` and a program
    ``task()``. The ``tasks`` further threads have the numbers from ``n_cpus()`` on. Such a thread
    runs when a CPU switches to it (``yield switch(number)``).
    """

    def thread(self) -> Program:
        """One thread's whole life; the run ends when all have returned or time is up."""
        raise NotImplementedError(f"{type(self).__name__} needs a thread() program")
        yield  # type: ignore[unreachable] # makes it a generator function


KINDS: tuple[type[Struct], ...] = tuple(
    thing for thing in globals().values() if isinstance(thing, type) and issubclass(thing, Struct)
)
"""The classes of the language that programs are derived from, in the order of their definition."""


class TasksError(TypeError):
    """A workload's further threads are not declared as they must be."""

    exit_code = 2


def tasks_of(workload: Workload) -> int:
    """How many threads a workload asks for beyond one for each CPU.

    Raises:
        TasksError: it has ``task()`` and no ``tasks``, or the other way round; or fewer than none.
    """
    name, tasks = type(workload).__name__, workload._params.get("tasks")
    has_program = hasattr(type(workload), "task")
    if tasks is None:
        if has_program:
            raise TasksError(
                f"{name} has a program task() and no number of threads that run it\n"
                "help: state their number, as in 'tasks = param(8)'"
            )
        return 0
    if not has_program:
        raise TasksError(
            f"{name} has tasks, and no program for them\nhelp: write a method task(self)"
        )
    if tasks < 0:
        raise TasksError(f"{name} cannot have {tasks} tasks: give 0 or more")
    return tasks

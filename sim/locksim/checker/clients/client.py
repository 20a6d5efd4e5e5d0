"""What a lock is checked with: a few threads that count a word up under it.

The count is a plain load and a plain store, so that two threads inside at once can lose an update;
the marks of the lock's methods tell besides who is inside.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from locksim.checker.clients.decisions import (
    Alone,
    ReclaimingDecisions,
    ReplacingDecisions,
    WritingDecisions,
)
from locksim.checker.clients.rcu import Reclaiming, Replacing, ReplacingAmongSleepers
from locksim.checker.errors import CheckError
from locksim.compiler import compile_class
from locksim.lang import RELAXED, Workload, n_cpus, param, part, thread, word
from locksim.lang.struct import (
    CountedRef,
    DecisionCache,
    Lock,
    ReadCopyUpdate,
    RWLock,
    SeqLock,
    SleepableRCU,
    Struct,
)
from locksim.library.locks.lockref import Lockref
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.seqlock import SpinSeqLock
from locksim.library.locks.tas import TASLock

#: The kinds that have standard clients.
KINDS = (Lock, RWLock, SeqLock, ReadCopyUpdate, SleepableRCU, DecisionCache)
#: What a use of dead memory and a failed assertion are called where RCU is checked.
RCU_FAULTS = {"memory": "grace-period violation", "assertion": "torn read"}


@dataclass(frozen=True)
class Client:
    """A workload and what must hold when all its threads have finished.

    Arguments:
        name: what it does, in a few words.
        workload: the description.
        expect: word's name → its value at the end.
        plain: words that stand for data that is not atomic: a race on them is an error.
        means: what a fault is called here: kind of violation → name.
    """

    name: str
    workload: Workload
    expect: dict[str, int] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    means: dict[str, str] = field(default_factory=dict)


class Counting(Workload):
    """Every thread: acquire, count up, release; some rounds of that.

    Arguments:
        rounds: critical sections of each thread.
    """

    rounds = param(1)
    lock = part(TASLock)
    count = word()

    def thread(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One thread's life."""
        for _ in range(self.rounds):
            yield from self.lock.acquire()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()


class Trying(Workload):
    """As Counting, but every thread tries first, and waits only if that fails: two ways in at once.

    Arguments:
        rounds: critical sections of each thread.
    """

    rounds = param(1)
    lock = part(TASLock)
    count = word()

    def thread(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One thread's life."""
        for _ in range(self.rounds):
            if not (yield from self.lock.try_acquire()):
                yield from self.lock.acquire()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()


class ReadingAndWriting(Workload):
    """Threads take turns to write and to read: a writer changes two words, a reader compares them.

    Arguments:
        rounds: critical sections of each thread.
        shift: thread t writes in round r if t + r + shift is even.
    """

    rounds = param(1)
    shift = param(0)
    lock = part(ReaderPreferenceRWLock)
    count = word()
    copy = word()

    def thread(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One thread's life."""
        for i in range(self.rounds):
            if (thread() + i + self.shift) % 2 == 0:
                yield from self.lock.write_acquire()
                count = yield self.count.load(RELAXED)
                yield self.count.store(count + 1, RELAXED)
                yield self.copy.store(count + 1, RELAXED)
                yield from self.lock.write_release()
            else:
                yield from self.lock.read_acquire()
                count = yield self.count.load(RELAXED)
                assert (yield self.copy.load(RELAXED)) == count
                yield from self.lock.read_release()


class ReadingAgain(Workload):
    """As ReadingAndWriting, but a reader reads until no writer came by, and compares then.

    Arguments:
        rounds: critical sections of each thread.
        shift: thread t writes in round r if t + r + shift is even.
    """

    rounds = param(1)
    shift = param(0)
    lock = part(SpinSeqLock)
    count = word()
    copy = word()

    def thread(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One thread's life."""
        for i in range(self.rounds):
            if (thread() + i + self.shift) % 2 == 0:
                yield from self.lock.write_acquire()
                count = yield self.count.load(RELAXED)
                yield self.count.store(count + 1, RELAXED)
                yield self.copy.store(count + 1, RELAXED)
                yield from self.lock.write_release()
            else:
                yield from self.read()  # type: ignore[no-untyped-call]

    def read(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One reading, as often as it takes."""
        while True:
            number = yield from self.lock.read_begin()
            count = yield self.count.load(RELAXED)
            copy = yield self.copy.load(RELAXED)
            if not (yield from self.lock.read_retry(number)):
                assert count == copy
                return


class Referring(Workload):
    """Each thread owns a reference, takes and drops more, and drops its own: one drops the last.

    Others hold the lock meanwhile and see the count stand still. Whoever drops the last reference
    has the object alone and ends its life; while anybody has one it must be alive.

    Arguments:
        rounds: how often each thread takes another reference or the lock.
        shift: thread t takes the lock in round r if t + r + shift is odd.
    """

    rounds = param(1)
    shift = param(0)
    lock = part(Lockref)
    alive = word(1)
    ends = word()

    def setup(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One reference for each thread; the first is there."""
        for _ in range(n_cpus() - 1):
            yield from self.lock.get()

    def thread(self):  # type: ignore[no-untyped-def] # a program in the lock language
        """One thread's life."""
        for i in range(self.rounds):
            if (thread() + i + self.shift) % 2 == 0:
                yield from self.lock.get()
                left = yield from self.lock.put()
                assert left > 0
            else:
                yield from self.lock.acquire()
                before = yield from self.lock.references()
                after = yield from self.lock.references()
                assert before == after
                yield from self.lock.release()
        assert (yield self.alive.load(RELAXED)) == 1
        left = yield from self.lock.put()
        if left == 0:
            yield self.alive.store(0, RELAXED)
            ends = yield self.ends.load(RELAXED)
            yield self.ends.store(ends + 1, RELAXED)


def clients(
    lock: Struct | type[Struct],
    n_threads: int,
    rounds: int,
) -> list[Client]:
    """The workloads that a lock is checked with.

    Arguments:
        lock: a lock's class or description.
        n_threads: how many threads will run. rounds: critical sections of each.

    Raises:
        CheckError: the struct is no lock, or the rounds make no sense.
        CompileError: it is outside the language.
    """
    cls = lock if isinstance(lock, type) else type(lock)
    if not 1 <= rounds <= 100:
        raise CheckError(f"{rounds} rounds: give a number from 1 to 100")
    if issubclass(cls, Lock):
        code = compile_class(cls)
        expect = {"count": n_threads * rounds}
        todo = [
            Client("acquire and count up", Counting(lock=lock, rounds=rounds), expect, ("count",))
        ]
        if issubclass(cls, CountedRef):
            todo += [_referring(lock, rounds, shift) for shift in (0, 1)]
        if "try_acquire" in code.methods:
            tries = Trying(lock=lock, rounds=rounds)
            todo.append(Client("try, else acquire, and count up", tries, expect, ("count",)))
        return todo
    if issubclass(cls, RWLock):
        return [_mixed(ReadingAndWriting, lock, n_threads, rounds, shift) for shift in (0, 1)]
    if issubclass(cls, SeqLock):
        code = compile_class(cls)
        kinds: list[type[Workload]] = [ReadingAgain]
        if "read_acquire" in code.methods:
            kinds.append(ReadingAndWriting)
        return [_mixed(k, lock, n_threads, rounds, shift) for k in kinds for shift in (0, 1)]
    if issubclass(cls, ReadCopyUpdate):
        code = compile_class(cls)
        todo = [_replacing(Replacing, lock, n_threads, rounds, shift) for shift in (0, 1)]
        if "call_rcu" in code.methods:
            calls = Reclaiming(rcu=lock, rounds=rounds)
            todo.append(Client("call_rcu", calls, means=RCU_FAULTS))
        return todo
    if issubclass(cls, SleepableRCU):
        kind = ReplacingAmongSleepers
        return [_replacing(kind, lock, n_threads, rounds, shift) for shift in (0, 1)]
    if issubclass(cls, DecisionCache):
        return _deciding(lock, rounds)
    *most, last = (kind.__name__ for kind in KINDS)
    raise CheckError(
        f"{cls.__name__} is no {', '.join(most)} or {last}: only these have standard clients\n"
        "help: derive it from one of them, or write a Workload and call "
        "locksim.checker.check_workload()"
    )


def chosen(known: list[Client], name: str) -> list[Client]:
    """The clients whose name begins with a text; all for an empty one.

    Raises:
        CheckError: there is none.
    """
    found = [c for c in known if c.name.startswith(name)]
    if not found:
        names = "; ".join(c.name for c in known)
        raise CheckError(f"no client '{name}': give the beginning of a name (there are: {names})")
    return found


def _mixed(
    kind: type[Workload], lock: Struct | type[Struct], n_threads: int, rounds: int, shift: int
) -> Client:
    writes = sum((t + i + shift) % 2 == 0 for t in range(n_threads) for i in range(rounds))
    workload = kind(lock=lock, rounds=rounds, shift=shift)
    optimistic = kind is ReadingAgain
    readings = f"{n_threads * rounds - writes} {'optimistic ' * optimistic}readings"
    name = f"{readings}, {writes} writings; thread {shift} writes first"
    plain = () if optimistic else ("count", "copy")
    expect = {"count": writes, "copy": writes}
    return Client(name, workload, expect, plain, {"assertion": "torn read"})


def _referring(lock: Struct | type[Struct], rounds: int, shift: int) -> Client:
    who = "odd" if shift == 0 else "even"
    name = f"get and put; {who} threads begin with the lock"
    expect = {"alive": 0, "ends": 1}
    return Client(name, Referring(lock=lock, rounds=rounds, shift=shift), expect, ("alive", "ends"))


def _replacing(
    kind: type[Replacing], lock: Struct | type[Struct], n_threads: int, rounds: int, shift: int
) -> Client:
    n = sum((t + i + shift) % 2 == 0 for t in range(n_threads) for i in range(rounds))
    workload = kind(lock=lock, rounds=rounds, shift=shift)
    name = f"{n_threads * rounds - n} readings, {n} replacements; thread {shift} replaces first"
    return Client(name, workload, means=RCU_FAULTS)


def _deciding(cache: Struct | type[Struct], rounds: int) -> list[Client]:
    """A cache's clients; the first needs only one thread to go wrong."""
    told = {"memory": "grace-period violation"}
    torn = {**told, "assertion": "torn or lost decision"}
    made = [Client("alone", Alone(cache=cache, rounds=rounds), means={"assertion": "wrong answer"})]
    for shift in (0, 1):
        replacing = ReplacingDecisions(cache=cache, rounds=rounds, shift=shift)
        made.append(Client(f"replace, thread {shift} first", replacing, means=torn))
    made.append(Client("writers", WritingDecisions(cache=cache, rounds=rounds), means=torn))
    for writers, beside in enumerate(("readers", "writers")):
        reclaiming = ReclaimingDecisions(cache=cache, rounds=rounds, writers=writers)
        made.append(Client(f"reclaim beside {beside}", reclaiming, means=torn))
    return made

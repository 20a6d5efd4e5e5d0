"""A CPU's core in the reference engine: it runs a thread's program, one operation at a time."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from locksim.core.faults import Fault, Wait, of_exception, switch_detail
from locksim.core.memory import allocate, new_value, release, wrap64
from locksim.core.places import Place, place_of_error
from locksim.core.result import SimulationError
from locksim.engine.meters import mark
from locksim.engine.reference.agents import Agent, StoreBuffer
from locksim.engine.reference.threads import Thread
from locksim.engine.trace import MARK
from locksim.lang import ops
from locksim.lang.ops import SEQ_CST, Kind, Mark, Op
from locksim.machine.costs import SAME_CORE

if TYPE_CHECKING:
    from locksim.engine.reference.engine import Engine

MAX_STEPS_AT_ONCE = 1_000_000
"""Most operations and marks of a thread in zero time."""
NEVER = (1 << 63) - 1
"""The time of a timer that is off."""

_Outcome = tuple[Any, int] | None
"""An operation's result, and the ps until the program continues; None while it waits."""

_STARTS = frozenset({Mark.ACQUIRE_START, Mark.READ_START})
_FAILURES = frozenset({Mark.TRY_FAILED, Mark.READ_TRY_FAILED})
_NO_PROGRESS = _STARTS | _FAILURES | {Mark.DOORWAY}
_ENDS = _FAILURES | {Mark.ACQUIRED, Mark.READ_ACQUIRED}


class Core(Agent):
    """A CPU's core.

    Arguments:
        thread: the thread that it runs, or ran to its end.
        op: the operation that is issued or waits.
        waits_for: the event in the store buffer for which the operation waits: "empty", "entry" or
            None.
    """

    def __init__(self, engine: Engine, cpu: int, thread: Thread) -> None:
        super().__init__(engine, cpu, 2 * cpu)
        self.buffer = StoreBuffer(engine, self)
        self.thread, thread.core = thread, self
        self.op = Op(Kind.PAUSE)
        self.sleeps = False
        self.permit = False
        self.timer_ps = NEVER
        self.waits_for: str | None = None
        distances = engine.tables.distance[cpu]
        self.ahead_ps = 0
        self.pauses = False
        self.siblings = [other for other, d in enumerate(distances) if d == SAME_CORE]

    @property
    def works(self) -> bool:
        """Whether it uses what siblings share: it runs, and neither pauses nor waits."""
        waits = self.sleeps or self.asked or self.waits_for is not None
        return not (waits or self.pauses or self.thread.returned)

    def _issue_percent(self) -> int:
        """How long private work takes, in hundredths of what it would take alone."""
        shared = any(self.engine.cores[other].works for other in self.siblings)
        return self.engine.tables.shared_issue_percent if shared else 100

    @property
    def _preempts_ps(self) -> int:
        """The time from which the timer takes the CPU from the thread that it runs."""
        is_task = self.thread.number >= self.engine.tables.n_cpus
        return self.timer_ps if is_task else NEVER

    # The program

    def start(self) -> None:
        """Start the program of the CPU's first thread."""
        self.go_on((self.thread.take_up(self), 0))

    def go_on(self, outcome: _Outcome) -> None:
        """Resume the program with an operation's result after its cost, and issue the next one."""
        for _ in range(MAX_STEPS_AT_ONCE):
            if outcome is None:
                return
            result, cost = outcome
            if cost > 0:
                self._resume_at(self.engine.now + cost, result)
                return
            if not self._advance(result):
                return
            outcome = self._issue()
        raise self._fault(Fault.PROGRAM, "the program runs forever while no time passes")

    def _resume_at(self, time_ps: int, result: Any) -> None:
        self.at(time_ps, lambda: self.go_on((result, 0)))

    def _advance(self, result: Any) -> bool:
        """Run the program to its next operation that takes time; False if it returned."""
        program = self.thread.program
        assert program is not None
        if self.thread.held is not None:
            self.op, self.thread.held = self.thread.held, None
            self._tell_observer(program)
            return True
        ops.set_context(self.thread)
        for _ in range(MAX_STEPS_AT_ONCE):
            try:
                op = program.send(result)
            except StopIteration:
                self.thread.returned = True
                if self.engine.observer is not None:
                    self.engine.observer.issued(
                        self.cpu, self.thread.number, self.engine.now, None, None
                    )
                self.engine.finished += 1
                self.engine.progress()
                return False
            except SimulationError:
                raise
            except Exception as error:
                raise self._program_error(error) from error
            if not isinstance(op, Op):
                raise self._fault(Fault.PROGRAM, f"{op!r} is yielded, which is not an operation")
            if op.kind == Kind.MARK:
                self._mark(Mark(op.a), wrap64(op.address))
            elif op.kind != Kind.FENCE or op.order == SEQ_CST:
                self.op = _as_compiled(op)
                self._tell_observer(program)
                return True
            result = 0
        raise self._fault(Fault.PROGRAM, "the program runs forever while no time passes")

    def _tell_observer(self, program: Generator[Op, Any, Any]) -> None:
        if self.engine.observer is not None:
            self.engine.observer.issued(
                self.cpu, self.thread.number, self.engine.now, program, self.op.kind
            )

    def _mark(self, what: Mark, subject: int) -> None:
        engine, thread = self.engine, self.thread
        thread.acquiring += (what in _STARTS) - (what in _ENDS)
        if what not in _NO_PROGRESS:
            engine.progress()
        if what == Mark.DONE:
            self.count("done")
        elif what != Mark.NOTE and 0 <= subject < len(engine.memory.lock_of):
            lock = engine.memory.lock_of[subject] - 1
            if lock >= 0:
                mark(
                    engine.locks,
                    engine.durations,
                    engine.meter,
                    lock,
                    int(what),
                    thread.number,
                    engine.now,
                    thread.stops,
                )
                if engine.observer is not None:
                    engine.observer.marked(
                        thread.number, engine.now, thread.program, what, lock, thread.stops
                    )
        engine.record(self, MARK + what, subject)

    # Operations at their issue

    def _issue(self) -> _Outcome:
        if self._preempts_ps <= self.engine.now:
            return self._preempt()
        kind = self.op.kind
        ahead_ps, self.ahead_ps = self.ahead_ps, 0
        self.pauses = kind == Kind.PAUSE
        if Kind.LOAD <= kind <= Kind.FETCH_XOR:
            if not self.engine.alive(self.op.address):
                asked = Kind.STORE if self.op.wrap is _dropped else kind
                raise self.engine.memory_fault(asked, self.op.address, self.cpu, self.place())
            if kind == Kind.LOAD:
                return self._issue_load()
            return self._issue_store() if kind == Kind.STORE else self._issue_atomic()
        if kind == Kind.PAUSE:
            self.thread.stops += 1
            return self._at_once("pauses", self.engine.tables.pause_ps)
        if self.thread.acquiring == 0:
            self.engine.progress()
        match kind:
            case Kind.FENCE:
                if self.buffer.entries:
                    return self._wait_for_buffer("empty")
                return self._at_once("fences", self.engine.tables.fence_ps)
            case Kind.COMPUTE:
                return self._compute(ahead_ps)
            case Kind.BLOCK:
                return self._block()
            case Kind.WAKE:
                return self._wake()
            case Kind.ALLOC:
                return self._alloc()
            case Kind.FREE:
                return self._free()
            case Kind.SWITCH:
                return self._switch_to(self.op.a)
            case Kind.TIMER:
                return self._set_timer()
        raise self._fault(Fault.PROGRAM, f"no such operation: {kind!r}")

    def _issue_load(self) -> _Outcome:
        address = self.op.address
        forwarded = self.buffer.youngest(address)
        if forwarded is not None:
            self.count("forwarded")
            return self._loaded(forwarded), self.engine.tables.l1_hit_ps
        line = self.engine.line(address)
        if not line.readable(self.holder):
            self.engine.request(self, line, exclusive=False)
            return None
        if line.under_way(self.holder, self.engine.now):
            return self._again_at(line.ready_at)
        cost = self.engine.tables.l1_hit_ps + self.hit(line)
        return self._loaded(self.engine.read(address)), cost

    def _issue_store(self) -> _Outcome:
        address, value = self.op.address, self.op.a
        line = self.engine.line(address)
        at_once = not self.buffer.entries and line.writable(self.holder)
        if at_once and line.under_way(self.holder, self.engine.now):
            return self._again_at(line.ready_at)
        if not at_once and self.buffer.full:
            return self._wait_for_buffer("entry")
        self.count("stores")
        self.engine.record(self, Kind.STORE, address, value)
        if self.thread.acquiring == 0:
            self.engine.progress()
        if at_once:
            self.hit(line)
            self.engine.write(address, value)
        else:
            self.buffer.enter(address, value, self.place())
        return 0, self.engine.tables.store_ps

    def _issue_atomic(self) -> _Outcome:
        if self.buffer.entries:
            return self._wait_for_buffer("empty")
        line = self.engine.line(self.op.address)
        if not line.writable(self.holder):
            far = any(self.engine.tables.far_atomic_ps)
            self.engine.request(self, line, exclusive=True, far=far)
            return None
        if line.under_way(self.holder, self.engine.now):
            return self._again_at(line.ready_at)
        cost = self.engine.tables.rmw_ps + self.hit(line)
        return self._exchanged(), cost

    def complete(self) -> None:
        """The data of a miss has arrived: the operation takes effect."""
        waited_ps = self.engine.now + self.delay_ps - self.asked_ps
        self.ahead_ps = min(self.engine.tables.run_ahead_ps, waited_ps)
        if self.op.kind == Kind.LOAD:
            self.go_on((self._loaded(self.engine.read(self.op.address)), self.delay_ps))
        else:
            self.go_on((self._exchanged(), self.engine.tables.rmw_ps + self.delay_ps))

    def _loaded(self, value: int) -> Any:
        """A load takes effect."""
        self.count("loads")
        self.engine.record(self, Kind.LOAD, self.op.address, value)
        self._watch()
        return self._wrapped(value)

    def _exchanged(self) -> Any:
        """An atomic read-modify-write takes effect."""
        op = self.op
        old = self.engine.read(op.address)
        new = wrap64(new_value(op.kind, old, op.a, op.b))
        self.engine.write(op.address, new)
        self.count("rmws")
        self.engine.record(self, op.kind, op.address, old)
        self._watch()
        if new != old and self.thread.acquiring == 0:
            self.engine.progress()
        return self._wrapped(old)

    def _wrapped(self, value: int) -> Any:
        return value if self.op.wrap is None else self.op.wrap(value)

    def _at_once(
        self, counter: str, cost: int, address: int = 0, value: int = 0
    ) -> tuple[Any, int]:
        self.count(counter)
        self.engine.record(self, self.op.kind, address, value)
        return 0, cost

    def _compute(self, ahead_ps: int) -> _Outcome:
        if self.op.a < 0:
            raise self._fault(Fault.COMPUTE, str(self.op.a))
        thread, percent = self.thread, self._issue_percent()
        alone_ps = thread.rest_ps or max(self.op.a, 1)
        end_ps = self.engine.now + max(alone_ps * percent // 100 - ahead_ps, 1)
        self.engine.record(self, Kind.COMPUTE, 0, thread.rest_ps or self.op.a)
        thread.rest_ps = 0
        if end_ps > self._preempts_ps:
            thread.rest_ps = max((end_ps - self._preempts_ps) * 100 // percent, 1)
            end_ps = self._preempts_ps
        if thread.acquiring == 0:
            self.engine.progress(end_ps)
        self.count("compute_ps", alone_ps - thread.rest_ps)
        if thread.rest_ps:
            return self._again_at(end_ps)
        return 0, end_ps - self.engine.now

    def _block(self) -> _Outcome:
        self.count("blocks")
        self.thread.stops += 1
        self.engine.record(self, Kind.BLOCK)
        if not self.permit:
            self.sleeps = True
            return None
        self.permit = False
        return 0, self.engine.tables.context_switch_ps

    def _wake(self) -> _Outcome:
        tables, number = self.engine.tables, self.op.a
        if not 0 <= number < tables.n_cpus:
            raise self._fault(Fault.WAKE, str(number))
        other = self.engine.cores[number]
        if other.sleeps:
            other.sleeps = False
            wakes_at = self.engine.now + tables.wake_ps + tables.context_switch_ps
            other._resume_at(wakes_at, 0)
        else:
            other.permit = True
        return self._at_once("wakes", tables.wake_ps, 0, number)

    def _alloc(self) -> _Outcome:
        memory, target = self.engine.memory, self.op.target
        if target is None or target not in memory.types:
            name = getattr(target, "__name__", target)
            raise self._fault(Fault.PROGRAM, f"memory was built without the allocated type {name}")
        node = self.engine.tables.node_of[self.cpu]
        line = allocate(memory, memory.types.index(target), self.cpu, node)
        address = line * memory.space.words_per_line
        self._at_once("allocs", 0, address)
        return memory.space.view(target, address), self.engine.tables.alloc_ps

    def _free(self) -> _Outcome:
        name = self.engine.memory.name(self.op.a)
        if not release(self.engine.memory, self.op.a, self.cpu):
            raise self._fault(Fault.FREE, name)
        return self._at_once("frees", self.engine.tables.free_ps, self.op.a)

    def _set_timer(self) -> _Outcome:
        self.timer_ps = self.op.a if self.op.a > 0 else NEVER
        self.engine.record(self, Kind.TIMER, 0, self.op.a)
        return 0, self.engine.tables.store_ps

    def _preempt(self) -> _Outcome:
        """Go on with the CPU's own thread; the task's operation is issued when it runs again."""
        task = self.thread
        outcome = self._switch_to(self.cpu)
        if self.thread is not task:
            task.held, self.timer_ps = self.op, NEVER
            self.ahead_ps, self.pauses = 0, False
        return outcome

    def _switch_to(self, number: int) -> _Outcome:
        engine, before = self.engine, self.thread
        if number == before.number:
            return 0, 0
        if not 0 <= number < len(engine.threads):
            raise self._fault(Fault.SWITCH, switch_detail(number, None))
        thread = engine.threads[number]
        if thread.core is not None:
            at = thread.core.cpu
            timer = self.op.kind != Kind.SWITCH
            detail = switch_detail(number, at, returned=thread.returned, timer=timer)
            raise self._fault(Fault.SWITCH, detail)
        if self.buffer.entries:
            return self._wait_for_buffer("empty")
        self.count("switches")
        engine.record(self, Kind.SWITCH, 0, number)
        cost = engine.tables.context_switch_ps
        before.put_aside()
        self.thread = thread
        return thread.take_up(self), cost

    # Waiting

    def _again_at(self, time_ps: int) -> _Outcome:
        """Issue the same operation again at a time."""
        self.at(time_ps, lambda: self.go_on(self._issue()))
        return None

    def _wait_for_buffer(self, what: str) -> _Outcome:
        """Issue the same operation again when the store buffer is "empty" or has an "entry"."""
        self.waits_for = what
        return None

    def drained(self) -> None:
        """The store buffer has drained its head."""
        if self.waits_for == "entry" or (self.waits_for == "empty" and not self.buffer.entries):
            self.waits_for = None
            self._again_at(self.engine.now + self.engine.tables.l1_hit_ps)

    # Where the program is

    def place(self) -> Place:
        """The present place in the program."""
        return self.thread.place()

    def _fault(self, kind: Fault, detail: str = "") -> SimulationError:
        return self.engine.fault(kind, self.cpu, self.place(), detail)

    def _program_error(self, error: Exception) -> SimulationError:
        """The fault for an exception of the program."""
        kind, detail = of_exception(error)
        return self.engine.fault(kind, self.cpu, place_of_error(error), detail)

    def _watch(self) -> None:
        """Store the last word read, for the message of a livelock."""
        if self.engine.stall_ps is not None:
            self.thread.watched = (self.op.address, self.place())

    def wait(self) -> Wait:
        """The wait of the thread, for a message."""
        thread = self.thread
        if self.sleeps or thread.watched is None:
            return Wait(thread.number, self.cpu, *self.place(), sleeps=self.sleeps)
        address, place = thread.watched
        word = (self.engine.memory.name(address), self.engine.read(address))
        return Wait(thread.number, self.cpu, *place, words=[word], sleeps=False)


def _as_compiled(op: Op) -> Op:
    """An operation as the hardware executes it.

    A SEQ_CST store is an exchange whose result is dropped, and operands have 64 bits.
    """
    if op.kind == Kind.STORE and op.order == SEQ_CST:
        op = op._replace(kind=Kind.SWAP, wrap=_dropped)
    if wrap64(op.a) != op.a or wrap64(op.b) != op.b:
        op = op._replace(a=wrap64(op.a), b=wrap64(op.b))
    return op


def _dropped(_: int) -> int:
    return 0

"""Drive the bindings of liburcu at random, in processes of their own: none may crash or hang.

A case is a seed: four flavours, some threads, and operations drawn at random, among them misuse of
every kind, keys that raise or use the table while they are compared, finalizers that read, cycles,
forks, and a signal whose handler raises. One thing is left out, which waits forever by its nature:
waiting for a flavour's grace period inside another flavour's section.

    python native/fuzz/urcu.py --minutes 10        # of processor time, new seeds
    python native/fuzz/urcu.py --case 17           # one case again

A case that takes more than ``--patience`` seconds of real time counts as one that hangs. It needs
a second of processor time, so give it more beside other work, above all where it runs niced.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import itertools
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

THREADS = 3
OPERATIONS = 400
KINDS = ["pointer", "hash_table", "wfcqueue", "lfqueue", "wfstack", "lfstack", "rculist"]
METHODS = {
    "pointer": "dereference assign compare_exchange",
    "hash_table": "lookup duplicates add add_unique add_replace replace remove count_nodes resize",
    "wfcqueue": "enqueue dequeue dequeue_with_state splice is_empty",
    "lfqueue": "enqueue dequeue",
    "wfstack": "push pop pop_with_state pop_all is_empty",
    "lfstack": "push pop pop_all is_empty",
    "rculist": "add add_tail replace remove",
}
REFUSALS = (TypeError, ValueError, OverflowError)


class Interrupted(Exception):
    """What the signal's handler raises."""


class Hostile(Exception):
    """What a key raises while it is compared."""


class Value:
    """A key or a value that has its own mind; which were made is noted."""

    made: ClassVar[list[weakref.ref[Value]]] = []

    def __init__(self, driver: Driver) -> None:
        Value.made.append(weakref.ref(self))
        self.driver = driver
        self.other: object = None
        self.mood = driver.random.random()
        self.number = driver.random.randrange(4)

    def __del__(self) -> None:
        if self.mood < 0.05:
            self.driver.leave_open()

    @classmethod
    def alive(cls) -> int:
        """Count those that are still there."""
        return sum(made() is not None for made in cls.made)

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        if self.mood < 0.1:
            raise Hostile
        if self.mood < 0.3:
            self.driver.use_container()
        return isinstance(other, Value) and self.number == other.number


class Driver:
    """What one thread does, by a random stream of its own."""

    def __init__(self, seed: object, pool: list[tuple[str, Any]], patience_s: int) -> None:
        from locknative import urcu

        self.patience_s = patience_s
        self.random = random.Random(repr(seed))
        self.flavours = [urcu.Flavour(name) for name in urcu.flavours]
        self.pool = pool
        self.nodes: list[Any] = []
        self.workers: list[tuple[Any, Any]] = []
        self.polls: list[Any] = []
        self.refused = (urcu.UrcuError, Hostile, *REFUSALS)
        self.entered: list[tuple[Any, Any]] = []
        self.depth = 0

    def operate(self) -> None:
        """Do one thing; that it is refused is fine."""
        what = self.random.choice(
            [self.enter, self.leave, self.make, self.defer, self.wait, self.drop]
            + [self.use_container] * 8
            + [self.iterate, self.strange, self.worker, self.poll, self.fork, self.collect]
        )
        with suppress(*self.refused):
            what()

    def flavour(self) -> Any:
        """Return any flavour."""
        return self.random.choice(self.flavours)

    # Sections

    def enter(self) -> None:
        """Register, begin a section, or stay online."""
        flavour = self.flavour()
        make = self.random.choice(
            [flavour.reader, flavour.read_lock, flavour.read_lock, flavour.online]
        )
        context = make()
        context.__enter__()
        self.entered.append((flavour, context))

    def leave(self) -> None:
        """End what was entered, or what was not."""
        if self.entered and self.random.random() < 0.9:
            context = self.entered.pop(self.random.choice([-1, -1, -1, 0]))[1]
            context.__exit__(None, None, None)
        else:  # one that was never entered
            self.flavour().read_lock().__exit__(None, None, None)

    def leave_all(self) -> None:
        """Be as a new thread."""
        for flavour in self.flavours:
            with suppress(*self.refused):
                while True:
                    flavour._c.read_unlock()
            with suppress(*self.refused):
                flavour._c.stay_online(False)
            with suppress(*self.refused):
                flavour._c.unregister()
        self.entered.clear()

    def leave_open(self) -> None:
        """For the callbacks' thread and finalizers in it, after which all is undone."""
        if threading.current_thread().name.startswith("urcu-") and not getattr(quiet, "on", False):
            with suppress(*self.refused):
                self.flavour().reader().__enter__()
            with suppress(*self.refused):
                self.flavour().read_lock().__enter__()

    # Grace periods

    def may_wait(self) -> bool:
        """Whether no grace period waits for this thread."""
        return not any(flavour.read_ongoing() for flavour in self.flavours)

    def wait(self) -> None:
        """Wait, or be refused; never inside another flavour's section."""
        flavour = self.flavour()
        if not any(each.read_ongoing() for each in self.flavours if each is not flavour):
            waits = ["synchronize", "barrier", "defer_barrier", "quiescent_state"]
            getattr(flavour, self.random.choice(waits))()

    def defer(self) -> None:
        """Leave a callback of any kind to call_rcu or defer_rcu."""
        flavour = self.flavour()
        value = Value(self)
        functions: list[Callable[..., object]] = [
            lambda held: None,
            lambda held: held.missing,
            lambda held: self.leave_open(),
            self.wait_in_callback,
            lambda held: self.flavour().call_rcu(lambda: held),
        ]
        function = self.random.choice(functions)
        if self.random.random() < 0.7 or not self.may_wait():
            flavour.call_rcu(function, value)
        else:
            with flavour.deferring():
                for _ in range(self.random.choice([1, 3, 1100])):
                    flavour.defer_rcu(function, value)

    def wait_in_callback(self, held: Value) -> None:
        """Wait for any flavour's callbacks; what is collected meanwhile may leave nothing open."""
        quiet.on = True
        try:
            self.flavour().barrier()
        finally:
            quiet.on = False

    def poll(self) -> None:
        """Begin a grace period, and ask for one."""
        self.polls.append(self.flavour().start_poll_synchronize_rcu())
        self.random.choice(self.polls).passed  # noqa: B018
        del self.polls[:-5]

    # Containers

    def make(self) -> None:
        """Add a container to the pool that all threads share."""
        kind = self.random.choice(KINDS)
        flavour = self.flavour()
        made = getattr(flavour, kind)()
        how = self.random.random()
        if how < 0.2:

            class Sub(type(made)):  # type: ignore[misc]
                def __init__(self) -> None:
                    self.itself = self

            made = Sub()
        elif how < 0.3:
            made = type(made).__new__(type(made))  # type: ignore[call-overload]
        elif how < 0.5 and kind == "hash_table":
            made = flavour.hash_table(2 ** self.random.randrange(5), auto_resize=False)
        self.pool.append((kind, made))
        if len(self.pool) > 20:
            self.drop()

    def drop(self) -> None:
        """Take one out."""
        with suppress(IndexError):
            self.pool.pop(self.random.randrange(len(self.pool) + 1))

    def some(self) -> tuple[str, Any]:
        """Return a container of the pool."""
        try:
            return self.random.choice(self.pool)
        except IndexError:
            return "pointer", None

    def argument(self) -> object:
        """Return a value, a container, a node or nonsense."""
        kind = self.random.randrange(8)
        if kind == 0:
            return self.some()[1]
        if kind == 1:
            return self.random.choice([None, -1, 0, 1, 3, 64, 2**70, "text", 1.5, []])
        if kind == 2 and self.nodes:
            return self.random.choice(self.nodes)
        value = Value(self)
        if kind == 3:
            value.other = self.some()[1]
        return value

    def use_container(self) -> None:
        """Call a method, seldom with the right arguments."""
        kind, container = self.some()
        if container is None or self.depth > 3:
            return
        name = self.random.choice(METHODS[kind].split())
        if name == "resize" and not self.may_wait():
            return
        self.depth += 1
        try:
            with suppress(*self.refused):
                arguments = [self.argument() for _ in range(self.random.randrange(4))]
                result = getattr(container, name)(*arguments)
                if kind == "rculist":
                    self.nodes.append(result)
                    del self.nodes[:-10]
        finally:
            self.depth -= 1

    def iterate(self) -> None:
        """Go through a container while it changes, and sections end."""
        container = self.some()[1]
        for number, _ in enumerate(container):
            self.random.choice([self.use_container, self.use_container, self.leave])()
            if number > 10:
                break

    def strange(self) -> None:
        """Types that are not meant to be made, or called so."""
        made: Any = type(self.some()[1])
        if self.random.random() < 0.5:
            with self.flavour().reader(), self.flavour().read_lock():
                made = type(iter(self.some()[1]))
        odd = made.__new__(made, *[self.argument() for _ in range(self.random.randrange(3))])
        type(odd).__init__(odd, *[self.argument() for _ in range(self.random.randrange(3))])
        for _ in zip(odd, range(3), strict=False):
            pass

    def collect(self) -> None:
        """Collect garbage."""
        gc.collect(self.random.randrange(3))

    # Workers and processes

    def worker(self) -> None:
        """Make, use and free workers, also in use."""
        flavour = self.flavour()
        self.workers.append((flavour, flavour.create_worker(self.random.random() < 0.2)))
        del self.workers[:-3]
        flavour, worker = self.random.choice(self.workers)
        flavour.set_thread_worker(self.random.choice([worker, None]))
        flavour.set_cpu_worker(0, self.random.choice([worker, None]))
        if self.may_wait():
            self.random.choice([worker.free, flavour.free_all_cpu_workers])()

    def fork(self) -> None:
        """Use the flavour in a child."""
        if self.random.random() < 0.9 or not self.may_wait():
            return
        flavour = self.flavour()
        if threading.current_thread() is threading.main_thread():
            armed[0] = False
        child = flavour.fork()
        if child == 0:
            # Not dump_traceback_later: it would wait for the parent's thread, which is not here.
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            faulthandler.register(signal.SIGALRM, chain=True)
            signal.alarm(self.patience_s // 2)
            flavour.call_rcu(self.use_container)
            flavour.barrier()
            flavour.synchronize()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0:
            os.write(2, f"a child of fork() ended with status {status}\n".encode())
            os._exit(3)


armed = [False]  # no Event: its lock might be held when the signal comes
quiet = threading.local()


def run_case(seed: int, patience_s: int) -> None:
    """Run one case in this process, and say what is left; give up after ``patience_s``."""
    from locknative import urcu

    faulthandler.enable()
    faulthandler.dump_traceback_later(patience_s, exit=True)
    sys.unraisablehook = lambda what: None
    pool: list[tuple[str, Any]] = []

    def interrupt(signal_number: int, frame: object) -> None:
        if armed[0]:
            armed[0] = False  # once for each operation
            raise Interrupted

    def work(number: int) -> None:
        driver = Driver((seed, number), pool, patience_s)
        for _ in range(OPERATIONS):
            with suppress(Interrupted):
                if number == 0:
                    armed[0] = True
                with suppress(RecursionError):
                    driver.operate()
                if number == 0:
                    armed[0] = False
        for flavour in driver.flavours:
            flavour.set_thread_worker(None)
        driver.leave_all()

    for flavour in map(urcu.Flavour, urcu.flavours):
        flavour.pointer()  # starts a thread, which threading does not survive a signal in
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, THREADS)]
    for thread in threads:
        thread.start()
    work(0)
    for thread in threads:
        thread.join()
    signal.setitimer(signal.ITIMER_REAL, 0)
    pool.clear()
    for flavour in map(urcu.Flavour, urcu.flavours):
        flavour.free_all_cpu_workers()
    for _ in range(100):  # threads that have just ended may still empty their queues
        gc.collect()
        for flavour in map(urcu.Flavour, urcu.flavours):
            flavour.barrier()
            flavour.defer_barrier()
        if Value.alive() == 0:
            break
        time.sleep(0.01)
    print(f"case {seed}: {Value.alive()} values are left")


def main() -> None:
    """Run cases in processes of their own for so long, or one here."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="processor time (default 10)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the first case")
    parser.add_argument("--cases", type=int, help="so many cases in place of --minutes")
    parser.add_argument("--case", type=int, help="run this one in this process")
    parser.add_argument("--patience", type=int, default=60, help="seconds for a case (default 60)")
    arguments = parser.parse_args()
    if arguments.patience < 2:
        parser.error(f"--patience must be at least 2 (got {arguments.patience})")
    if arguments.case is not None:
        run_case(arguments.case, arguments.patience)
        return
    for done in itertools.count():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = used.ru_utime + used.ru_stime
        if (
            (seconds >= 60 * arguments.minutes)
            if arguments.cases is None
            else (done == arguments.cases)
        ):
            break
        seed = arguments.seed + done
        command = [sys.executable, __file__, "--case", str(seed)]
        command += ["--patience", str(arguments.patience)]
        try:
            case = subprocess.run(
                command, capture_output=True, text=True, timeout=2 * arguments.patience, check=False
            )
        except subprocess.TimeoutExpired:
            sys.exit(f"case {seed} hangs: repeat it by '{' '.join(command)}'")
        if case.returncode != 0 or "0 values are left" not in case.stdout:
            sys.exit(
                f"{case.stdout}{case.stderr}\n"
                f"case {seed} ended with {case.returncode}: repeat it by '{' '.join(command)}'"
            )
    print(f"{done} cases from seed {arguments.seed}: no crash, no hang, {seconds:.0f} CPU seconds")


if __name__ == "__main__":
    main()

"""Random workloads as source text, for comparing the engines.

A text defines structs with words, padded words, arrays, words of each CPU and node, parts, two
locks, a node type that is allocated and freed, and the workload ``World`` with random programs:
every operation and order, calls into parts, idle spins of many shapes, sleeping and waking, marks;
in half of them tasks, too, that wander from CPU to CPU.
Variables stay below 64 (the language's registers have 64 bits, Python's numbers have no end);
words in memory may hold anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

HEAD = """from locksim.lang import *


class Node(Struct):
    value = word()
    other = word(padded={node_padded})
    next = pointer("Node")


class Big(Struct):
    first = word()
    items = array(9)


class Gate(Lock):
    locked = word()
    turn = word()

    def acquire(self):
{acquire}

    def try_acquire(self):
        return (yield self.locked.compare_swap(0, 1, ACQUIRE)) == 0

    def release(self):
        yield self.locked.store(0, {release})


class Door(RWLock):
    state = word()

    def read_acquire(self):
        while (yield self.state.fetch_add(1, ACQUIRE)) < 0:
            yield self.state.fetch_add(-1, RELAXED)
            while (yield self.state.load(RELAXED)) < 0:
                yield pause()

    def read_release(self):
        yield self.state.fetch_add(-1, RELEASE)

    def write_acquire(self):
        while (yield self.state.compare_swap(0, -1000, ACQUIRE)) != 0:
            yield pause()

    def write_release(self):
        yield self.state.fetch_add(1000, RELEASE)


class Inner(Struct):
    step = param(2)
    flag = word({inner_flag})
    total = word(padded={inner_padded})

    def mix(self, n, m):
        return (n * self.step + m) & 63

    def wait(self, n):
        while (yield self.flag.load(ACQUIRE)) == n:
            yield pause()
        return n

    def bump(self, n):
        x = y = z = n
        yield self.total.fetch_add(n, RELAXED)
"""
ACQUIRES = (
    """        while (yield self.locked.swap(1, ACQUIRE)) != 0:
            yield pause()""",
    """        while (yield self.locked.swap(1, ACQUIRE)) != 0:
            while (yield self.locked.load(RELAXED)) != 0:
                yield pause()""",
    """        while (yield self.locked.load(RELAXED)) != 0 or (yield self.locked.swap(1)) != 0:
            yield pause()
            yield compute(random_below(9))""",
    """        turn = yield self.turn.fetch_add(1)
        while (yield self.locked.compare_swap(0, 1)) != 0:
            for _ in range(turn & 3):
                yield pause()""",
)
FIELDS = (
    "a = word({n})",
    "b = word({n}, padded=True)",
    "flag = word({bit})",
    "items = array(4)",
    "wide = array(2, padded=True)",
    "own = percpu(word({bit}))",
    "near = pernode(word({bit}))",
    "head = pointer(Node)",
    # Never written. The literal NULL has no type in the reference engine: Python itself refuses
    # a field of it, in other words than the fast engine.
    "nil = pointer(Node)",
    "tail = pointer(Node, padded=True)",
    "inner = part(Inner)",
    "far = part(Inner(step=5), padded=True)",
    "many = array(2, Inner)",
    "mine = percpu(Inner)",
    "gate = part(Gate)",
    "door = part(Door)",
)
WORDS = (
    *("self.a", "self.b", "self.flag", "self.flag", "self.items[{v} & 3]", "self.items[1]"),
    *("self.wide[{v} & 1]", "self.own[cpu()]", "self.own[{v} % n_cpus()]", "self.inner.flag"),
    *("self.inner.total", "self.far.total", "self.far.flag", "self.many[{v} & 1].flag"),
    *("self.many[0].total", "self.mine[cpu()].flag", "self.mine[0].total"),
    *("self.near[node()]", "self.near[0]"),
)
OWN_WORDS = ("self.flag", "self.total")
VARIABLES = ("x", "y", "z")
LOAD_ORDERS = ("RELAXED", "ACQUIRE", "SEQ_CST")
STORE_ORDERS = ("RELAXED", "RELEASE", "RELEASE", "SEQ_CST")
ORDERS = ("RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
HUGE = ("9223372036854775807", "-9223372036854775808", "1 << 62", "-1")
RISKS = (
    ["yield self.items[{v} & 7].store(1, RELAXED)"],
    ["{w} = ({v} + 9) // ({v} & 3)"],
    ["{w} = ({v} + 9) % ({v} & 3)"],
    ["yield compute({v} - 3)"],
    ["{w} = random_below({v} & 3)"],
    ["{w} = random_exponential({v} & 3) & 63"],
    ["yield wake({v} - 1)"],
    ["assert {v} != 2"],
    ["yield free(p)"],
    ["yield free(p)", "yield p.other.store({v}, RELAXED)"],
    ["{w} = (yield p.value.load()) & 63"],
    ["yield self.tail.store(p, RELAXED)", "yield free(p)"],
    ["{w} = 1 << ({v} & 3) - 2 & 63"],
    ["p = cast(Node, {v})", "yield p.other.fetch_add(1)"],
    ["q = yield self.tail.load(RELAXED)", "yield q.value.store({v}, RELEASE)"],
    ["yield switch({v} - 1)"],
)
"""Statements that may fault."""


HAND_ON = ("mine = yield self.free.swap(mine)", "if mine:", "    yield switch(mine)")
"""A CPU's own thread exchanges its task for the one that lies free, and runs that."""
FOR_A_WHILE = (*HAND_ON[:2], "    yield timer(now() + random_below(150))", HAND_ON[2])
"""The same, and the timer brings the CPU back to its own thread."""
GO_BACK = ("yield switch(cpu())",)
"""A task puts itself aside for the CPU's own thread."""


class _Maker:
    """Draws the statements of one program.

    Arguments:
        words: the words that it works on.
        world: True in ``World``, whose programs may call, allocate and sleep.
        risky: whether statements that may fault are among them.
        switches: statements that put the thread aside.
    """

    def __init__(
        self,
        draw: st.DrawFn,
        words: Sequence[str],
        world: bool,
        risky: bool,
        switches: Sequence[str] = (),
    ) -> None:
        self.draw, self.words, self.world, self.risky = draw, words, world, risky
        self.switches = switches

    def one(self, choices: Sequence[str]) -> str:
        return choices[self.draw(st.integers(0, len(choices) - 1))]

    def number(self, least: int, most: int) -> int:
        return self.draw(st.integers(least, most))

    def variable(self) -> str:
        return self.one(VARIABLES)

    def word(self) -> str:
        return self.one(self.words).format(v=self.variable())

    def value(self) -> str:
        """A small value."""
        return self.one(VARIABLES) if self.number(0, 1) else str(self.number(0, 3))

    def expression(self) -> str:
        """Something to compute, with loads in it now and then."""
        a, b, v = self.value(), self.value(), self.variable()
        forms = (
            *(a, a, f"({a} + {b})", f"({a} * {b} - {v})", f"({a} ^ {b})", f"({a} | {b} & {v})"),
            *(f"(1 if {a} < {b} else {v})", f"({a} == {b} or {v} > 3)", f"min({a}, max({b}, {v}))"),
            *(f"({a} // ({b} + 1))", f"(-{a} % ({b} + 2))", f"(~{a} >> 1)", "thread()"),
            *("random_below(4)", "n_cpus()", f"({a} << ({b} & 7))", f"(not {a})"),
            *("(now() & 63)", "n_threads()", "node()"),
        )
        form = self.number(0, len(forms) + 1)
        if form >= len(forms):
            return f"((yield {self.word()}.load({self.one(LOAD_ORDERS)})) & 63)"
        return forms[form]

    def block(self, depth: int, least: int = 1) -> list[str]:
        lines: list[str] = []
        for _ in range(self.number(least, least + 2)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        forms = ["assign", "load", "store", "store", "store", "update", "swap", "cas", "quick"]
        if self.world:
            forms += ["pointer", "sleep", "call", "lock", "publish", "big"]
        if depth:
            forms += ["if", "for", "while", "spin", "spin", "spin", "spin"]
        if self.switches:
            forms += ["switch"] * 4
        if self.risky:
            forms += ["risk", "risk"]
        form = self.one(forms)
        made: list[str] = getattr(self, f"make_{form}")(depth)
        return made

    def make_assign(self, depth: int) -> list[str]:
        return [f"{self.variable()} = ({self.expression()} + {self.expression()}) & 63"]

    def make_load(self, depth: int) -> list[str]:
        order = self.one(LOAD_ORDERS)
        return [f"{self.variable()} = (yield {self.word()}.load({order})) & 63"]

    def make_store(self, depth: int) -> list[str]:
        what = self.expression() if self.number(0, 2) else str(self.number(0, 1))
        return [f"yield {self.word()}.store({what}, {self.one(STORE_ORDERS)})"]

    def make_update(self, depth: int) -> list[str]:
        name = self.one(("fetch_add", "fetch_add", "fetch_and", "fetch_or", "fetch_xor"))
        what = self.one(HUGE) if self.number(0, 9) == 0 else self.expression()
        call = f"{self.word()}.{name}({what}, {self.one(ORDERS)})"
        return [f"{self.variable()} = (yield {call}) & 63"]

    def make_swap(self, depth: int) -> list[str]:
        return [f"yield {self.word()}.swap({self.expression()}, {self.one(ORDERS)})"]

    def make_cas(self, depth: int) -> list[str]:
        call = f"{self.word()}.compare_swap({self.value()}, {self.value()}, {self.one(ORDERS)})"
        return [f"{self.variable()} = (yield {call}) & 63"]

    def make_quick(self, depth: int) -> list[str]:
        e = self.expression()
        forms = ("pause()", f"compute({e} & 31)", f"note({e})", "done()")
        fence = f"fence({self.one(ORDERS[1:])})"
        return [f"yield {self.one((*forms, fence, fence))}"]

    def make_pointer(self, depth: int) -> list[str]:
        order = self.one(STORE_ORDERS)
        use = f"yield p.{self.one(('value', 'other'))}.store({self.value()}, {order})"
        forms = (
            ["p = yield alloc(Node)"],
            ["p = yield alloc(Node)", "if p:", f"    {use}"],
            ["if p:", f"    {use}", f"    {self.variable()} = (yield p.value.load()) & 63"],
            ["if p:", "    yield free(p)", "    p = yield self.nil.load(RELAXED)"],
            ["q = yield self.head.swap(p)", "p = q"],
        )
        return forms[self.number(0, len(forms) - 1)]

    def make_publish(self, depth: int) -> list[str]:
        forms = (
            ["if p:", "    q = yield self.head.load(RELAXED)"]
            + ["    yield p.next.store(q, RELAXED)"]
            + ["    yield self.head.store(p, RELEASE)", "    p = yield self.nil.load(RELAXED)"],
            ["q = yield self.head.swap(NULL)", "while q:"]
            + ["    p = yield q.next.load(RELAXED)", "    yield free(q)", "    q = p"],
            ["q = yield self.head.load(ACQUIRE)", "if q:"]
            + ["    while (yield q.value.load()) == 0:", "        yield pause()"],
        )
        return forms[self.number(0, len(forms) - 1 if self.risky else 0)]

    def make_big(self, depth: int) -> list[str]:
        use = f"yield w.items[{self.variable()} & 7].store({self.value()}, RELEASE)"
        first = f"{self.variable()} = (yield w.items[{self.number(0, 7)}].load()) & 63"
        rest = [f"    {first}", "    yield free(w)"] if self.number(0, 1) else []
        if not self.risky:
            rest = [*rest[:1], "    yield fence()", *rest[1:]]
        return ["w = yield alloc(Big)", "if w:", f"    {use}", *rest]

    def make_sleep(self, depth: int) -> list[str]:
        wake = f"yield wake(({self.value()} + cpu()) % n_cpus())"
        forms = ([wake], [wake, "yield block()"], ["yield wake(cpu())"], ["yield block()"])
        return forms[self.number(0, 3 if self.number(0, 1) else 1)]

    def make_switch(self, depth: int) -> list[str]:
        return list(self.switches)

    def make_call(self, depth: int) -> list[str]:
        v, e = self.variable(), self.expression()
        inners = ("inner", "far", "many[1]", "mine[cpu()]")
        forms = (
            f"{v} = yield from self.{self.one(inners)}.bump({e} & 7)",
            f"{v} = yield from self.{self.one(inners)}.wait({self.number(0, 1)})",
            f"{v} = self.{self.one(inners)}.mix({self.value()}, {self.value()})",
            f"yield from self.helper({self.value()})",
        )
        return [forms[self.number(0, len(forms) - 1 if self.words is not OWN_WORDS else 2)]]

    def make_lock(self, depth: int) -> list[str]:
        inside = self.block(0)
        forms = (
            ["yield from self.gate.acquire()", *inside, "yield from self.gate.release()"],
            ["if (yield from self.gate.try_acquire()):"]
            + [f"    {line}" for line in inside]
            + ["    yield from self.gate.release()"],
            ["yield from self.door.read_acquire()", *inside, "yield from self.door.read_release()"],
            ["yield from self.door.write_acquire()", *inside]
            + ["yield from self.door.write_release()"],
        )
        return forms[self.number(0, len(forms) - 1)]

    def make_risk(self, depth: int) -> list[str]:
        lines = RISKS[self.number(0, len(RISKS) - 1)]
        if not self.world:
            lines = RISKS[self.number(1, 6)]
        v, w = self.variable(), self.variable()
        return [line.format(v=v, w=w) for line in lines]

    def make_if(self, depth: int) -> list[str]:
        body = [f"    {line}" for line in self.block(depth - 1)]
        lines = [f"if {self.one(('cpu() == 0', self.expression(), self.expression()))}:", *body]
        if self.number(0, 1):
            lines += ["else:", *(f"    {line}" for line in self.block(depth - 1))]
        return lines

    def make_for(self, depth: int) -> list[str]:
        body = [f"    {line}" for line in self.block(depth - 1)]
        return [f"for {self.variable()} in range({self.number(1, 4)}):", "    yield pause()", *body]

    def make_while(self, depth: int) -> list[str]:
        body = [f"    {line}" for line in self.block(depth - 1)]
        leave = self.one(("break", "continue", "pass"))
        test = f"(yield {self.word()}.load({self.one(LOAD_ORDERS)})) & 3 != {self.number(0, 3)}"
        return [f"while {test}:", *body, f"    if {self.expression()}:", f"        {leave}"]

    def make_spin(self, depth: int) -> list[str]:
        """A loop that may be an idle spin."""
        w, u, k, m = self.word(), self.word(), self.number(0, 1), self.number(0, 1)
        o, c = self.one(LOAD_ORDERS), self.one(("==", "==", "!=", "<"))
        idle = self.one(("pause()", "pause()", f"compute({self.value()} & 7)", "fence(ACQUIRE)"))
        test, other = f"(yield {w}.load({o})) {c} {k}", f"(yield {u}.load()) == {m}"
        long = self.number(1, 4)
        forms = (
            [f"while {test}:", f"    yield {idle}"],
            [f"while {test}:", "    pass"],
            [f"while {test} and {other}:", f"    yield {idle}", "    yield pause()"],
            [f"while {test} or {other}:", "    yield pause()"],
            ["while True:", f"    t = yield {w}.load({o})"]
            + [f"    if t != {k}:", "        break", f"    yield {idle}"],
            [f"while {test}:", f"    while {other}:", "        yield pause()"],
            [f"while {test}:", f"    if {other}:", "        yield pause()", "        continue"]
            + ["    yield compute(2)"],
            [f"while {test}:", *["    yield pause()", "    yield compute(1)"] * long],
            [f"while {test}:", f"    t = yield {u}.load({o})", "    yield compute(t & 7)"],
            [f"while {test}:", f"    x = (yield {u}.load({o})) & 63", "    yield pause()"],
        )
        return forms[self.number(0, len(forms) - 1)]


@st.composite
def workloads(draw: st.DrawFn, timers: bool = False) -> str:
    """The text of a module with a workload ``World``.

    Arguments:
        timers: whether it has tasks, and CPUs that take themselves away from them.
    """
    risky = draw(st.integers(0, 2)) == 0
    # Few words, so that the threads meet at them.
    hot = draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=4))

    def program(maker: _Maker, depth: int, least: int = 1, indent: int = 8) -> str:
        return "".join(f"{' ' * indent}{line}\n" for line in maker.block(depth, least))

    inner = _Maker(draw, OWN_WORDS, world=False, risky=risky)
    helper = _Maker(draw, hot, world=False, risky=risky)
    tasks = draw(st.sampled_from((1, 2, 5) if timers else (0, 0, 1, 2, 5)))
    hand_on = FOR_A_WHILE if timers else HAND_ON
    world = _Maker(draw, hot, world=True, risky=risky, switches=hand_on if tasks else ())
    text = HEAD.format(
        node_padded=draw(st.booleans()),
        inner_flag=draw(st.integers(0, 1)),
        inner_padded=draw(st.booleans()),
        acquire=ACQUIRES[draw(st.integers(0, len(ACQUIRES) - 1))],
        release=STORE_ORDERS[draw(st.integers(0, len(STORE_ORDERS) - 1))],
    )
    text += program(inner, 1) + "        return x\n\n\nclass World(Workload):\n"
    for field in draw(st.permutations(FIELDS)):
        text += f"    {field.format(n=draw(st.integers(0, 3)), bit=draw(st.integers(0, 1)))}\n"
    if tasks:
        text += f"    tasks = param({tasks})\n    free = word()\n"
        task = _Maker(draw, hot, world=True, risky=risky, switches=GO_BACK)
        text += "\n    def task(self):\n        x = y = z = thread()\n"
        text += "        p = q = yield self.head.load(RELAXED)\n        while True:\n"
        text += (
            program(task, 1, 2, 12) + "            yield pause()\n            yield switch(cpu())\n"
        )
    body = program(world, 2, 2)
    if draw(st.integers(0, 4)):
        body += "        while True:\n            yield done()\n"
        body += program(world, 2, 6, 12) + "            yield pause()\n"
    if draw(st.booleans()):
        # A type has to be allocated by a thread too, for memory to know it.
        body = "        if cpu() == 7:\n            p = yield alloc(Node)\n" + body
        text += "\n    def setup(self):\n        node = yield alloc(Node)\n"
        text += "        yield node.value.store(1)\n        yield self.head.store(node)\n"
    text += "\n    def helper(self, n):\n        x = y = z = n\n        yield pause()\n" + program(
        helper, 2
    )
    text += _stir(draw, hot)
    text += "\n    def thread(self):\n        x = y = z = cpu()\n"
    text += "        p = q = yield self.head.load(RELAXED)\n"
    if tasks:
        text += "        mine = n_cpus() + cpu()\n        if mine >= n_threads():\n"
        text += "            mine = 0\n"
        if draw(st.integers(0, 3)):
            text += "".join(f"        {line}\n" for line in hand_on[1:])
    if draw(st.integers(0, 3)):
        text += "        if cpu() == n_cpus() - 1:\n            yield from self.stir()\n"
    return text + body


def _stir(draw: st.DrawFn, hot: Sequence[str]) -> str:
    """A program that changes the words that others spin on, and wakes who sleeps."""
    every = (1, 10, 40, 120)[draw(st.integers(0, 3))]
    lines = ["v = random_below(4)", f"yield compute(random_below({every}) + {every})"]
    for word in hot:
        forms = (
            f"yield {word}.store(random_below(2), {STORE_ORDERS[draw(st.integers(0, 3))]})",
            f"yield {word}.fetch_xor(1, RELAXED)",
            f"yield {word}.store(random_below(3), RELAXED)",
        )
        lines.append(forms[draw(st.integers(0, 2))].format(v="v"))
    wakes = ("yield wake(random_below(n_cpus()))", "yield pause()")
    lines.append(wakes[draw(st.integers(0, 1))])
    body = "".join(f"            {line}\n" for line in lines)
    return f"\n    def stir(self):\n        while True:\n{body}"

"""Read a litmus test of herd7's dialects of C.

The part of the dialects that is read: 1 to 8 threads; words that are ``int``, ``atomic_int`` or
``atomic_t``; the operations of :mod:`.dialects`; registers, ``+ - * & | ^`` and comparisons; ``if``
and ``while``; ``exists``, ``~exists`` and ``forall``. Anything else is refused, with its line.
"""

from __future__ import annotations

from locksim.checker.litmus.dialects import C11, KERNEL, LOAD_PARTS, Spelling
from locksim.checker.litmus.program import (
    EXISTS,
    FORALL,
    NEVER,
    Access,
    Assign,
    Binary,
    Expression,
    If,
    Litmus,
    LitmusError,
    Location,
    Negation,
    Number,
    Register,
    Statement,
    Thread,
    While,
    expressions,
    statements,
)
from locksim.checker.litmus.tokens import Cursor
from locksim.lang.ops import Kind, Order

MOST_THREADS = 8
TYPES = ("int", "atomic_int", "atomic_t", "volatile int", "const int")
_LEVELS = (("|",), ("^",), ("&",), ("==", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*",))
"""Operators, those that bind least first; comparisons do not chain."""
_OTHER_OPERATORS = ("&&", "||", "/", "%", "?")
_QUANTIFIERS = {"exists": EXISTS, "~exists": NEVER, "forall": FORALL}
_ORDERS = {f"memory_order_{order.name.lower()}": order for order in Order}


def read(text: str, file: str) -> Litmus:
    """Read a litmus test.

    Arguments:
        text: of the file. file: its name, for messages.

    Raises:
        LitmusError: it is none, or needs more than this module reads; the message has the line.
    """
    try:
        return _Reader(text, file).litmus()
    except RecursionError:
        raise LitmusError(
            f"{file}: it is nested too deeply\nhelp: keep parts of it in registers"
        ) from None


class _Reader(Cursor):
    """A text that is read from its beginning to its end.

    Attributes:
        words, registers: of the thread that is read, the words as name → type.
        kernel: whether the operations are the kernel's; None before the first.
    """

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text, file)
        self.words: dict[str, str] = {}
        self.registers: set[str] = set()
        self.kernel: bool | None = None

    def litmus(self) -> Litmus:
        if self.next().text != "C":
            self.fail("a litmus test in C begins with 'C NAME'", "other architectures are not read")
        line, name = self.tokens[self.at].line, ""
        while self.peek().line == line and self.peek().text not in ("{", ""):
            name += self.next().text
        while self.peek().text not in ("{", ""):
            self.next()  # a title, or what herd7 is to know: Variant=…
        initial = self.initial()
        threads: list[Thread] = []
        while self.peek().kind == "name" and self.peek().text not in _ENDS:
            threads.append(self.thread(len(threads)))
        if not 1 <= len(threads) <= MOST_THREADS:
            self.fail(f"there are {len(threads)} threads", f"write 1 to {MOST_THREADS}")
        if self.peek().text == "locations":
            while self.next().text != "]":
                self.expect_more()
        quantifier, condition = self.end(threads)
        if self.peek().text:
            self.fail(f"'{self.next().text}' behind the condition", "leave it out")
        return Litmus(name, tuple(threads), quantifier, condition, initial, bool(self.kernel))

    # The memory at the beginning, and the end

    def initial(self) -> dict[str, int]:
        self.take("{")
        values: dict[str, int] = {}
        while not self.accept("}"):
            if self.accept(";"):
                continue
            self.type()
            bracket = self.accept("[")
            name = self.name("a word")
            if bracket:
                self.take("]")
            values[name] = 0
            if self.accept("="):
                macro = self.peek().text == "ATOMIC_INIT"
                if macro:
                    self.next()
                    self.take("(")
                values[name] = self.signed("pointers are not read: give a number")
                if macro:
                    self.take(")")
            elif self.peek().text == ":":
                self.fail("a register with a first value", "write 'int r0 = …;' in its thread")
        return {name: value for name, value in values.items() if value}

    def end(self, threads: list[Thread]) -> tuple[str, Expression]:
        if not self.peek().text:
            return FORALL, Number(1)
        word = self.next().text
        if word not in _QUANTIFIERS:
            self.fail(f"'{word}' where the condition begins", f"write {', '.join(_QUANTIFIERS)}")
        condition = self.disjunction()
        known = {name for thread in threads for name in thread.parameters}
        declared = {(t, name) for t, thread in enumerate(threads) for name in _targets(thread.body)}
        for part in expressions(condition):
            if isinstance(part, Register) and (part.thread, part.name) not in declared:
                self.fail(f"P{part.thread} has no register '{part.name}'", "name one that it sets")
            if isinstance(part, Location) and part.name not in known:
                self.fail(f"no thread has a word '{part.name}'", "name a parameter of a thread")
        return _QUANTIFIERS[word], condition

    def disjunction(self) -> Expression:
        left = self.conjunction()
        while self.accept("\\/"):
            left = Binary("\\/", left, self.conjunction())
        return left

    def conjunction(self) -> Expression:
        left = self.proposition()
        while self.accept("/\\"):
            left = Binary("/\\", left, self.proposition())
        return left

    def proposition(self) -> Expression:
        if self.accept("~"):
            return Negation(self.proposition())
        if self.accept("("):
            inner = self.disjunction()
            self.take(")")
            return inner
        if self.peek().text in ("true", "false"):
            return Number(int(self.next().text == "true"))
        left: Expression
        if self.peek().kind == "number":
            thread = int(self.next().text)
            self.take(":")
            left = Register(self.name("a register"), thread)
        else:
            bracket = self.accept("[")
            left = Location(self.name("a word, or a register such as 0:r0"))
            if bracket:
                self.take("]")
        operator = self.next().text
        if operator not in ("=", "==", "!="):
            self.fail(f"'{operator}' in the condition", "compare with = or !=")
        return Binary("!=" if operator == "!=" else "==", left, Number(self.signed("a number")))

    # Threads

    def thread(self, number: int) -> Thread:
        while self.peek().text in ("static", "void"):
            self.next()
        begun = self.next()
        if begun.text != f"P{number}":
            self.fail(f"'{begun.text}' where P{number} should begin", "number the threads from P0")
        self.take("(")
        self.words, self.registers = {}, set()
        while not self.accept(")"):
            kind = self.type()
            if self.peek().text != "*":
                kind = f"{kind} {self.next().text}".strip()
            if kind not in TYPES or not self.accept("*"):
                self.fail(f"a parameter of type '{kind}'", f"write 'int *x': {', '.join(TYPES)}")
            if self.accept("*"):
                self.fail("a pointer to a pointer", "write what it points to as a word")
            self.words[self.name("a parameter")] = kind
            self.accept(",")
        return Thread(self.words, self.block())

    def type(self) -> str:
        """The words of a type, "" where none stands."""
        found = []
        while self.peek().text in _TYPE_WORDS:
            found.append(self.next().text)
        return " ".join(found)

    def block(self) -> tuple[Statement, ...]:
        self.take("{")
        body: list[Statement] = []
        while not self.accept("}"):
            self.expect_more()
            body += self.statement()
        return tuple(body)

    def branch(self) -> tuple[Statement, ...]:
        return self.block() if self.peek().text == "{" else tuple(self.statement())

    def statement(self) -> list[Statement]:
        line, text = self.peek().line, self.peek().text
        if self.accept(";"):
            return []
        if text in ("if", "while"):
            self.next()
            self.take("(")
            condition = self.expression()
            self.take(")")
            body = self.branch()
            if text == "while":
                return [While(condition, body, line)]
            return [If(condition, body, self.branch() if self.accept("else") else (), line)]
        if text in ("for", "do"):
            self.next()
            self.fail(f"'{text}'", _REFUSED[text])
        return [self.simple(line)]

    def simple(self, line: int) -> Statement:
        kind = self.type()
        if kind and self.accept("*"):
            self.fail("a register that holds a pointer", "use numbers, and words by their names")
        if not kind and self.peek().text == "*":
            return self.plain_store(line)
        if self.peek().kind != "name":
            found = self.next().text
            self.fail(f"'{found}' where a statement begins", "write 'r0 = …;' or a call")
        target, value = "", None
        if self.tokens[self.at + 1].text == "(" and not kind:
            value = self.expression()
        else:
            target = self.name("a register")
            if target in self.words:
                self.fail(f"'{target}' is the address of a word", f"write '*{target} = …;'")
            self.registers.add(target)
            value = self.expression() if self.accept("=") else None
            if value is None and not kind:
                self.fail(f"'{target}' alone", "write 'r0 = …;'")
        self.take(";")
        if isinstance(value, Access) and value.kind in (Kind.STORE, Kind.FENCE) and target:
            self.fail("a store has no result", "write the call alone")
        return Assign(target, value, kind, line)

    def plain_store(self, line: int) -> Statement:
        self.take("*")
        word = self.word()
        self.take("=")
        value = self.expression()
        self.take(";")
        return Assign("", Access(Kind.STORE, word, (value,), plain=True), "", line)

    def word(self) -> str:
        name = self.name("a word")
        if name not in self.words:
            self.fail(f"'{name}' is not a parameter of this thread", "a word is one of those")
        return name

    # Expressions

    def expression(self, level: int = 0) -> Expression:
        if level == len(_LEVELS):
            return self.atom()
        left = self.expression(level + 1)
        while self.peek().text in _LEVELS[level]:
            left = Binary(self.next().text, left, self.expression(level + 1))
        if self.peek().text in _OTHER_OPERATORS:
            self.fail(f"'{self.next().text}'", "use + - * & | ^ and comparisons")
        return left

    def atom(self) -> Expression:
        if self.accept("("):
            if self.peek().text in _TYPE_WORDS:
                self.fail("a cast", "leave it out")
            inner = self.expression()
            self.take(")")
            return inner
        if self.accept("*"):
            return Access(Kind.LOAD, self.word(), plain=True)
        token = self.peek()
        if token.kind == "number" or token.text == "-":
            return Number(self.signed("a number"))
        name = self.name("a value")
        if self.accept("("):
            return self.call(name)
        if name in self.words:
            self.fail(f"'{name}' is the address of a word", f"write '*{name}' or a load")
        if name not in self.registers:
            self.fail(f"'{name}' is no register of this thread", "declare it: 'int r0 = …;'")
        return Register(name)

    def call(self, name: str) -> Expression:
        given: list[Expression | Order] = []
        while not self.accept(")"):
            self.expect_more()
            given.append(self.argument())
            self.accept(",")
        if name in ("atomic_fetch_sub_explicit", "atomic_fetch_sub"):
            name = name.replace("sub", "add")
            for i, value in enumerate(given):
                if isinstance(value, Number):
                    given[i] = Number(-value.value)
                elif isinstance(value, Register | Binary | Access):
                    given[i] = Binary("-", Number(0), value)
        known = [s for s in (*C11, *KERNEL) if s.name == name]
        for spelling in known:
            access = self.access(spelling, given)
            if access is not None:
                return access
        if name in _REFUSED:
            return self.fail(f"{name}()", _REFUSED[name])
        if known:
            return self.fail(f"the arguments of {name}()", _form(known[0]))
        return self.fail(f"unknown function {name}()", "write operations of C11 or of the kernel")

    def argument(self) -> Expression | Order:
        text, behind = self.peek().text, self.tokens[self.at + 1 : self.at + 2]
        if text in _ORDERS:
            return _ORDERS[self.next().text]
        if text in self.words and behind and behind[0].text in (",", ")"):
            return Location(self.next().text)
        return self.expression()

    def access(self, spelling: Spelling, given: list[Expression | Order]) -> Access | None:
        """What a call does; None if the arguments are not those of this spelling."""
        if len(given) != len(spelling.arguments):
            return None
        word, order = "", spelling.order
        values: list[Expression] = []
        for letter, value in zip(spelling.arguments, given, strict=True):
            expected = letter == "e" and spelling in C11
            match letter, value:
                case ("w", Location(name=name)) | (
                    "*",
                    Access(kind=Kind.LOAD, word=name, plain=True),
                ):
                    word = name
                case "o", Order():
                    order = value
                case "f", Order():
                    self.failing(order, value)
                case "e", Location() if expected:
                    values.append(value)
                case (("v" | "e"), Number() | Register() | Binary() | Access()) if not expected:
                    values.append(value)
                case _:
                    return None
        assert order is not None
        if spelling.kind != Kind.FENCE:
            self.speak(spelling in KERNEL)
        elif spelling in KERNEL:
            self.speak(kernel=True)
        if order in _NOT_FOR.get(spelling.kind, ()):
            self.fail(f"a {spelling.kind.name.lower()} that is {order.name}", "C11 has none")
        return Access(spelling.kind, word, tuple(values), order)

    def failing(self, order: Order | None, failure: Order) -> None:
        assert order is not None
        if failure != LOAD_PARTS.get(order, order):
            self.fail(
                f"a compare-and-swap that is {order.name}, and {failure.name} where it fails",
                f"the language has one order: write {LOAD_PARTS.get(order, order).name} for both",
            )

    def speak(self, kernel: bool) -> None:
        if self.kernel not in (None, kernel):
            self.fail("operations of C11 and of the kernel in one test", "use those of one")
        self.kernel = kernel


def _targets(body: tuple[Statement, ...]) -> set[str]:
    return {part.target for part in statements(body) if isinstance(part, Assign)}


def _form(spelling: Spelling) -> str:
    """How a call is written."""
    arguments = [_ARGUMENTS[letter] for letter in spelling.arguments]
    return f"write {spelling.name}({', '.join(arguments)})"


_ENDS = ("locations", "filter", *_QUANTIFIERS)
_TYPE_WORDS = frozenset(word for kind in TYPES for word in kind.split())
_ARGUMENTS = {"w": "x", "*": "*x", "v": "value", "e": "expected", "o": "order", "f": "order"}
_NOT_FOR = {
    Kind.LOAD: (Order.RELEASE, Order.ACQ_REL),
    Kind.STORE: (Order.ACQUIRE, Order.ACQ_REL),
}
_LOCKS = "write the lock's own loads and stores: the checker has no lock of its own"
_REFUSED = {
    **dict.fromkeys(("for", "do"), "write 'while', or its steps one after another"),
    **dict.fromkeys(("spin_lock", "spin_unlock", "spin_trylock"), _LOCKS),
    **dict.fromkeys(("rcu_read_lock", "rcu_read_unlock", "synchronize_rcu"), _LOCKS),
    **dict.fromkeys(
        ("atomic_compare_exchange_weak_explicit", "atomic_compare_exchange_weak"),
        "it may fail for no reason, which is not checked: write it strong",
    ),
}

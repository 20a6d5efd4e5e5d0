"""Write a litmus test as herd7 reads it."""

from __future__ import annotations

from locksim.checker.litmus.dialects import LOAD_PARTS, spelling
from locksim.checker.litmus.program import (
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
)
from locksim.lang.ops import Kind, Order


def write(test: Litmus) -> str:
    """The text of a litmus test, in its dialect.

    Raises:
        LitmusError: the dialect has no such operation.
    """
    comment = f"(*\n{_plain(test.comment)}\n*)\n" if test.comment else ""
    initial = " ".join(f"{name} = {value};" for name, value in test.initial.items())
    threads = [_thread(k, thread, test.kernel) for k, thread in enumerate(test.threads)]
    initially = f"{{ {initial} }}" if initial else "{}"
    return (
        f"C {test.name}\n{comment}\n{initially}\n\n"
        + "\n".join(threads)
        + f"\n{test.quantifier} ({condition(test.condition)})\n"
    )


def condition(node: Expression) -> str:
    r"""A condition as herd7 writes it: ``0:r0=1 /\ x=2``."""
    match node:
        case Number(value=value):
            return "true" if value else "false"
        case Negation(condition=inner):
            return f"~({condition(inner)})"
        case Register(name=name, thread=thread):
            return f"{thread}:{name}"
        case Location(name=name):
            return name
        case Binary(operator="==" | "!=" as operator, left=left, right=Number(value=value)):
            return f"{condition(left)}{'=' if operator == '==' else '!='}{value}"
        case Binary(operator=operator, left=left, right=right):
            return f"{_side(left, operator)} {operator} {_side(right, operator)}"
    raise LitmusError(f"no condition: {node}")


def _side(node: Expression, operator: str) -> str:
    """A part of a condition, in parentheses where it needs them."""
    joined = isinstance(node, Binary) and node.operator in ("/\\", "\\/")
    text = condition(node)
    return f"({text})" if joined and node.operator != operator else text  # type: ignore[union-attr]


def _thread(number: int, thread: Thread, kernel: bool) -> str:
    parameters = ", ".join(f"{kind} *{name}" for name, kind in thread.parameters.items())
    writer = _Writer(thread.parameters, kernel)
    lines = writer.body(thread.body, "\t")
    return "\n".join([f"P{number}({parameters})", "{", *lines, "}", ""])


class _Writer:
    """The statements of a thread; ``words`` has the types of its words."""

    def __init__(self, words: dict[str, str], kernel: bool) -> None:
        self.words, self.kernel = words, kernel

    def body(self, body: tuple[Statement, ...], indent: str) -> list[str]:
        lines: list[str] = []
        for statement in body:
            if isinstance(statement, Assign):
                note = f" // {_plain(statement.note)}" if statement.note else ""
                lines.append(f"{indent}{self.assign(statement)};{note}")
                continue
            word = "if" if isinstance(statement, If) else "while"
            lines.append(f"{indent}{word} ({self.value(statement.condition)}) {{")
            lines += self.body(
                statement.then if isinstance(statement, If) else statement.body, indent + "\t"
            )
            if isinstance(statement, If) and statement.other:
                lines += [f"{indent}}} else {{", *self.body(statement.other, indent + "\t")]
            lines.append(f"{indent}}}")
        return lines

    def assign(self, statement: Assign) -> str:
        left = f"{statement.type} {statement.target}" if statement.type else statement.target
        if statement.value is None:
            return left
        right = self.value(statement.value)
        return f"{left} = {right}" if left else right

    def value(self, node: Expression) -> str:
        match node:
            case Number(value=value):
                return str(value)
            case Register(name=name) | Location(name=name):
                return name
            case Binary(operator=operator, left=left, right=right):
                return f"{self.operand(left)} {operator} {self.operand(right)}"
            case Access():
                return self.access(node)
        raise LitmusError(f"no expression: {node}")

    def operand(self, node: Expression) -> str:
        text = self.value(node)
        return f"({text})" if isinstance(node, Binary) else text

    def access(self, access: Access) -> str:
        values = iter(self.value(value) for value in access.arguments)
        if access.plain:
            return f"*{access.word}" + (f" = {next(values)}" if access.kind == Kind.STORE else "")
        atomic = self.words.get(access.word) == "atomic_t"
        known = spelling(access, kernel=self.kernel, atomic=atomic)
        if known is None:
            where = "the kernel" if self.kernel else "C11"
            raise LitmusError(f"{where} has no {access.kind.name.lower()} {access.order.name}")
        fails = LOAD_PARTS.get(access.order, access.order)
        fixed = {
            "w": access.word,
            "*": f"*{access.word}",
            "o": _order(access.order),
            "f": _order(fails),
        }
        given = [fixed[c] if c in fixed else next(values) for c in known.arguments]
        return f"{known.name}({', '.join(given)})"


def _order(order: Order) -> str:
    return f"memory_order_{order.name.lower()}"


def _plain(text: str) -> str:
    """A text without what begins or ends a comment."""
    return text.replace("(*", "( *").replace("*)", "* )")

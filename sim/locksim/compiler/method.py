"""One method: its arguments, its body in two passes, and the checks on the whole of it.

The first pass runs until the types of all variables are known and makes no complaints; the second
one keeps its instructions. So ``previous = NULL`` before a loop may become a pointer inside it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from locksim.compiler.assignments import refuse_hiding
from locksim.compiler.counted import Counted
from locksim.compiler.diagnostics import Span
from locksim.compiler.emitter import Emitter
from locksim.compiler.expressions import Expressions
from locksim.compiler.flow import Assigned
from locksim.compiler.ir import Instr, MethodCode
from locksim.compiler.sources import MISSING, MethodSource
from locksim.compiler.statements import Statements
from locksim.compiler.tidy import finished
from locksim.compiler.timeless import Timeless, takes_time
from locksim.compiler.unit import Signature, Unit, base_text, type_text
from locksim.compiler.values import INT, NULL_TYPE, Int, Ptr, Ref, Type, Value, describe, join
from locksim.compiler.variables import Variables
from locksim.lang.fields import pointer, word
from locksim.lang.struct import METERS, Struct, Workload


def is_program(node: ast.FunctionDef) -> bool:
    """Whether a method yields (what is defined inside it does not count)."""
    todo: list[ast.AST] = list(node.body)
    while todo:
        n = todo.pop()
        if isinstance(n, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(n))
    return False


@dataclass(frozen=True)
class _Pass:
    """The parts that compile a method once, and share its variables with other passes.

    What each one owns: the emitter the instructions, the expressions the values, the statements
    the body.
    """

    unit: Unit
    method: MethodSource
    variables: Variables
    emitter: Emitter
    expressions: Expressions
    statements: Statements


def compile_method(unit: Unit, method: MethodSource) -> tuple[MethodCode, Signature]:
    """Compile a method for a class.

    Raises:
        CompileError: it is outside the language.
    """
    arguments = _arguments(unit, method)
    variables = Variables(method.node, method.source, arguments)
    for argument in method.node.args.args[1:]:
        refuse_hiding(argument.arg, argument, method)
    before = None
    while before != variables.types:
        before = dict(variables.types)
        _run(unit, method, variables, inferring=True)
    made = _run(unit, method, variables, inferring=False)
    falls_through = _check_assigned(method, variables)
    returns = _returns(made, falls_through)
    if falls_through:
        made.statements.finish(Value(0, NULL_TYPE), method.node.body[-1])
    instrs, names = finished(made.emitter)
    _check_loops(made, instrs)
    program = is_program(method.node)
    code = MethodCode(
        method.name,
        program,
        tuple(type_text(t, unit) for t in arguments.values()),
        type_text(returns or INT, unit),
        len(names),
        tuple(names),
        instrs,
        method.node.lineno,
        method.role,
        method.source.file,
        tuple(
            (base_text(given, unit), base_text(to, unit), line)
            for (given, to), line in made.emitter.widened.items()
        ),
    )
    return code, Signature(method.name, program, tuple(arguments.items()), returns)


def _run(unit: Unit, method: MethodSource, variables: Variables, *, inferring: bool) -> _Pass:
    """Compile the body once; the types of the variables grow."""
    emitter = Emitter(method.source, variables.names)
    expressions = Expressions(unit, method, variables, emitter)
    statements = Statements(method, variables, emitter, expressions, inferring=inferring)
    if method.role in METERS:
        before, after, _ = METERS[method.role]
        first = after if method.role.endswith("release") else before
        if first is not None:
            emitter.emit("MARK", int(first), "r0", node=_signature(method))
    statements.body(method.node.body)
    return _Pass(unit, method, variables, emitter, expressions, statements)


def _arguments(unit: Unit, method: MethodSource) -> dict[str, Type]:
    node, source = method.node, method.source
    if isinstance(node, ast.AsyncFunctionDef):
        source.fail("async", node)
    for decorator in node.decorator_list:
        source.fail("decorator", decorator, text=source.code(decorator))
    spec = node.args
    if not spec.args or spec.args[0].arg != "self" or spec.posonlyargs:
        source.fail("missing-self", node, name=node.name)
    for star in (spec.vararg, spec.kwarg, *spec.kwonlyargs):
        if star is not None:
            source.fail("star-argument", star)
    if spec.defaults:
        defaulted = spec.args[-len(spec.defaults)]
        source.fail("default-argument", defaulted, name=defaulted.arg)
    return {a.arg: _annotated(a.annotation, unit, method) for a in spec.args[1:]}


def _annotated(node: ast.expr | None, unit: Unit, method: MethodSource) -> Type:
    if node is None:
        return INT
    found = _annotation(node, unit, method)
    if found is None:
        method.source.fail("annotation", node, text=method.source.code(node))
    return found


def _annotation(node: ast.expr, unit: Unit, method: MethodSource) -> Type | None:
    """The type that an annotation names, None if it names none."""
    name = node.value if isinstance(node, ast.Constant) else getattr(node, "id", None)
    if not isinstance(name, str):
        return None
    for cls in (unit.cls, method.owner):
        if cls.__name__ == name:
            return Ptr(cls)
    found = method.lookup(name)
    if found is MISSING:
        found = next((t for t in _pointed(unit.cls) if t.__name__ == name), None)
    if found is word:
        return Ref()
    if isinstance(found, type) and issubclass(found, Struct):
        return Ptr(found)
    return INT if found in (int, bool) else None


def _pointed(cls: type[Struct]) -> list[type[Struct]]:
    """Classes that the fields of a class point to: a name that only they know is found by them."""
    found = []
    for field in cls.FIELDS.values():
        if isinstance(field, pointer) and isinstance(field.to, type):
            found.append(field.to)
    return found


def _check_assigned(method: MethodSource, variables: Variables) -> bool:
    """Refuse variables that may have no value; True if control can reach the end of the method."""

    def unbound(node: ast.Name) -> None:
        method.source.fail("unbound", node, name=node.id)

    given = frozenset(variables.arguments)
    state = Assigned(frozenset(variables.types), unbound).block(method.node.body, given)
    return state is not None


def _returns(made: _Pass, falls_through: bool) -> Type | None:
    """The type of the result, None if there is none."""
    method, source, returned = made.method, made.method.source, made.statements.returned
    valued = [(node, kind) for node, kind in returned if kind is not None]
    if not valued:
        return None
    if method.name == "thread" and issubclass(made.unit.cls, Workload):
        source.fail("thread-return", valued[0][0])
    bare = [node for node, kind in returned if kind is None]
    if bare or falls_through:
        where: ast.AST | Span = bare[0] if bare else _signature(method)
        source.fail("mixed-returns", where, name=method.name)
    declared = _annotation(method.node.returns, made.unit, method) if method.node.returns else None
    kind: Type = declared if isinstance(declared, Ptr) else valued[0][1]
    for node, one in valued:
        joined = join(kind, one)
        if joined is None:
            name = f"the result of {method.name}()"
            source.fail("two-types", node, name=name, new=describe(one), old=describe(kind))
        kind = joined
    for node, one in valued:
        made.emitter.widen(one, kind, node)
    return INT if isinstance(kind, Int) else kind


def _signature(method: MethodSource) -> Span:
    """The line of the def, up to the name."""
    span = method.source.span(method.node)
    return Span(span.line, span.column, span.column + len("def ") + len(method.name))


def _check_loops(made: _Pass, instrs: tuple[Instr, ...]) -> None:
    """Refuse loops that repeat without time passing. The linker knows parameters and callers."""
    heads = [(label.index, node) for label, node in made.statements.heads if label.index >= 0]
    arguments = {
        "r0": False,
        **{made.variables.registers[a]: True for a in made.variables.arguments},
    }
    counted = Counted(
        instrs, arguments, lambda operand: operand if isinstance(operand, int) else None
    )
    helpers = made.expressions.calls.helpers
    timed = [takes_time(i) or (i.op == "CALL" and i.args[4] not in helpers) for i in instrs]
    loop = Timeless(counted, timed).loop()
    if loop:
        node = next(node for index, node in reversed(heads) if index == loop[0])
        code = "long-range" if isinstance(node, ast.For) else "endless-loop"
        made.method.source.fail(code, node)

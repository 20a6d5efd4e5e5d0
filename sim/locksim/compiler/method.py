"""One method: its arguments, its body in two passes, and the checks on the whole of it.

The first pass runs until the types of all variables are known and makes no complaints; the second
one keeps its instructions. So ``previous = NULL`` before a loop may become a pointer inside it.
"""

from __future__ import annotations

import ast

from locksim.compiler.context import Context, Signature, Unit
from locksim.compiler.diagnostics import Span
from locksim.compiler.flow import Assigned, timeless_head
from locksim.compiler.ir import Instr, MethodCode
from locksim.compiler.sources import MISSING, MethodSource
from locksim.compiler.statements import Statements
from locksim.compiler.values import INT, NULL_TYPE, Int, Ptr, Ref, Type, Value, describe, join
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


def compile_method(unit: Unit, method: MethodSource) -> tuple[MethodCode, Signature]:
    """Compile a method for a class.

    Raises:
        CompileError: it is outside the language.
    """
    arguments = _arguments(unit, method)
    made = Statements(unit, method, arguments)
    for name in arguments:
        made.check_name(name, next(a for a in method.node.args.args if a.arg == name))
    while True:
        before = dict(made.types)
        _body(made)
        if made.types == before:
            break
        made.reset()
    made.inferring = False
    made.reset()
    _body(made)
    falls_through = _check_assigned(made)
    returns = _returns(made, falls_through)
    if falls_through:
        made.finish(Value(0, NULL_TYPE), _end(method.node))
    instrs, names = made.builder.finish()
    _check_loops(made, instrs)
    program = is_program(method.node)
    code = MethodCode(
        method.name,
        program,
        tuple(made.type_text(t) for t in arguments.values()),
        made.type_text(returns or INT),
        len(names),
        tuple(names),
        instrs,
        method.node.lineno,
        method.role,
        method.source.file,
    )
    return code, Signature(method.name, program, tuple(arguments.items()), returns)


def _body(made: Statements) -> None:
    role = made.method.role
    if role in METERS:
        before, after, _ = METERS[role]
        first = after if role.endswith("release") else before
        if first is not None:
            made.emit("MARK", int(first), "r0", node=_signature(made))
    made.body(made.method.node.body)


def _end(node: ast.FunctionDef) -> ast.AST:
    return node.body[-1]


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


def _check_assigned(made: Statements) -> bool:
    """Refuse variables that may have no value; True if control can reach the end of the method."""

    def unbound(node: ast.Name) -> None:
        made.fail("unbound", node, name=node.id)

    names = frozenset([*made.arguments, *made.locals])
    state = Assigned(names, unbound).block(made.method.node.body, frozenset(made.arguments))
    return state is not None


def _returns(made: Statements, falls_through: bool) -> Type | None:
    """The type of the result, None if there is none."""
    method, cls = made.method, made.unit.cls
    valued = [(node, kind) for node, kind in made.returned if kind is not None]
    if not valued:
        return None
    if method.name == "thread" and issubclass(cls, Workload):
        made.fail("thread-return", valued[0][0])
    bare = [node for node, kind in made.returned if kind is None]
    if bare or falls_through:
        where: ast.AST | Span = bare[0] if bare else _signature(made)
        made.fail("mixed-returns", where, name=method.name)
    declared = _annotation(method.node.returns, made.unit, method) if method.node.returns else None
    kind: Type = declared if isinstance(declared, Ptr) else NULL_TYPE
    for node, one in valued:
        joined = join(kind, one)
        if joined is None:
            name = f"the result of {method.name}()"
            made.fail("two-types", node, name=name, new=describe(one), old=describe(kind))
        kind = joined
    return INT if isinstance(kind, Int) else kind


def _signature(made: Context) -> Span:
    """The line of the def, up to the name."""
    span = made.source.span(made.method.node)
    return Span(span.line, span.column, span.column + len("def ") + len(made.method.name))


def _check_loops(made: Statements, instrs: tuple[Instr, ...]) -> None:
    heads = [(label.index, node) for label, node in made.heads if label.index >= 0]
    found = timeless_head(instrs, made.helpers, [index for index, _ in heads])
    if found is not None:
        node = next(node for index, node in reversed(heads) if index == found)
        made.fail("endless-loop", node)

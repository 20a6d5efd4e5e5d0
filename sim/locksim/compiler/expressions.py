"""Expressions: the way from any node to its value, and arithmetic with folding of constants."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from locksim.compiler.calls import Calls, Functions
from locksim.compiler.conditions import Conditions
from locksim.compiler.emitter import Emitter
from locksim.compiler.operations import Callee, Operations
from locksim.compiler.places import Places
from locksim.compiler.sources import MethodSource
from locksim.compiler.unit import Unit
from locksim.compiler.values import (
    INT,
    Int,
    Ptr,
    Ref,
    Result,
    Static,
    StructAt,
    Value,
    WordAt,
    number_value,
)
from locksim.compiler.variables import Variables

ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("ADD", operator.add),
    ast.Sub: ("SUB", operator.sub),
    ast.Mult: ("MUL", operator.mul),
    ast.FloorDiv: ("FLOORDIV", operator.floordiv),
    ast.Mod: ("MOD", operator.mod),
    ast.BitAnd: ("AND", operator.and_),
    ast.BitOr: ("OR", operator.or_),
    ast.BitXor: ("XOR", operator.xor),
    ast.LShift: ("SHL", operator.lshift),
    ast.RShift: ("SHR", operator.rshift),
}
_REFUSED: dict[type[ast.expr], tuple[str, dict[str, str]]] = {
    ast.Lambda: ("lambda", {}),
    ast.ListComp: ("comprehension", {}),
    ast.SetComp: ("comprehension", {}),
    ast.DictComp: ("comprehension", {}),
    ast.GeneratorExp: ("comprehension", {}),
    ast.NamedExpr: ("walrus", {}),
    ast.JoinedStr: ("string", {}),
    ast.List: ("collection", {"what": "lists"}),
    ast.Tuple: ("collection", {"what": "tuples"}),
    ast.Set: ("collection", {"what": "sets"}),
    ast.Dict: ("collection", {"what": "dictionaries"}),
    ast.Starred: ("star-argument", {}),
    ast.Await: ("async", {}),
    ast.Slice: ("expression", {"what": "slices"}),
}


class Expressions:
    """Compiles any expression: it visits the tree, and each part does one sort of node.

    It is the :class:`~locksim.compiler.operations.Operands` of its parts: the operations, calls and
    tests inside an expression hold expressions again.
    """

    def __init__(
        self, unit: Unit, method: MethodSource, variables: Variables, emitter: Emitter
    ) -> None:
        self.unit, self.method, self.source = unit, method, method.source
        self.variables, self.emitter = variables, emitter
        self.places = Places(unit, method, variables, emitter)
        self.operations = Operations(unit, method, emitter, self)
        self.calls = Calls(unit, method, emitter, self)
        self.functions = Functions(method.source, emitter, self, self.operations)
        self.conditions = Conditions(method.source, emitter, self)

    def result(self, node: ast.expr, dest: str | None = None) -> Result:  # noqa: RET503 - fail() raises
        """Compile an expression; a result goes to the register ``dest``, if given."""
        match node:
            case ast.Constant():
                return self._literal(node)
            case ast.Name():
                return self.places.name(node)
            case ast.Attribute():
                return self.places.attribute(self.owner(node.value), node)
            case ast.Subscript():
                array = self.places.array(self.result(node.value), node)
                return self.places.element(array, self.number(node.slice), node, dest)
            case ast.Yield():
                return self.operation(node, dest, used=True)
            case ast.YieldFrom():
                return self.program_call(node, dest, used=True)
            case ast.Call():
                return self.call(node, dest, used=True)
            case ast.BinOp():
                left, right = self.number(node.left), self.number(node.right)
                return self.arithmetic(node.op, left, right, node, dest)
            case ast.UnaryOp():
                return self._unary(node, dest)
            case ast.Compare():
                return self.conditions.comparison(node, dest)
            case ast.BoolOp():
                return self.conditions.either(node, dest)
            case ast.IfExp():
                return self.conditions.choice(node, dest)
        code, fields = _REFUSED.get(type(node), ("expression", {"what": type(node).__name__}))
        self.source.fail(code, node, **fields)

    # What the parts ask for

    def value(self, node: ast.expr, dest: str | None = None) -> Value:
        """Compile an expression that has to be a number or a pointer."""
        return self.places.value(self.result(node, dest), node, dest)

    def number(self, node: ast.expr, dest: str | None = None) -> Value:
        """Compile an expression that has to be a number."""
        value = self.value(node, dest)
        if not isinstance(value.type, Int):
            self.source.fail("pointer-arithmetic", node, text=self.source.code(node))
        return value

    def word(self, node: ast.expr, dest: str | None = None) -> Value:
        """Compile an expression; a word gives its address, anything else its value."""
        found = self.result(node, dest)
        if isinstance(found, WordAt):
            return self.places.reference(found, self.emitter.register(dest), node)
        return self.places.value(found, node, dest)

    def static(self, node: ast.expr) -> object:
        """The class, order or function that a name stands for, None for anything else."""
        found = self.result(node) if isinstance(node, ast.Name | ast.Attribute) else None
        return found.object if isinstance(found, Static) else None

    def scratch(self, node: ast.expr, dest: str | None) -> str:
        """A register that may be written before the whole of an expression has been read."""
        used = self.variables.read_in(node)
        return self.emitter.temporary() if dest is None or dest in used else dest

    def owner(self, node: ast.expr) -> Result:
        """What stands before a dot; any pointer is the struct that it points to."""
        found = self.result(node)
        if isinstance(found, Value) and isinstance(found.type, Ptr):
            return StructAt(found.operand, found.type)
        if isinstance(found, Value) and isinstance(found.type, Ref):
            return WordAt(found.operand, None, (), found.type.target)
        return found

    # Yields and calls

    def operation(self, node: ast.Yield, dest: str | None = None, *, used: bool) -> Value:
        """A ``yield``. ``used``: whether the program does something with the result."""
        call = node.value
        if call is None:
            self.source.fail("yield-nothing", node)
        if not isinstance(call, ast.Call):
            if isinstance(call, ast.Attribute | ast.Subscript | ast.Name):
                found = self.result(call)
                if isinstance(found, WordAt):
                    self.places.value(found, call)
            self.source.fail("yield-not-operation", call, text=self.source.code(call))
        return self.operations.perform(node, call, self._callee(call), dest, used)

    def program_call(self, node: ast.YieldFrom, dest: str | None = None, *, used: bool) -> Value:
        """A ``yield from``."""
        call = node.value
        if not isinstance(call, ast.Call):
            if isinstance(call, ast.Attribute):
                self.result(call)
            self.source.fail("yield-from-other", call, text=self.source.code(call))
        return self.calls.program(node, call, self._callee(call), dest, used)

    def call(self, node: ast.Call, dest: str | None = None, *, used: bool) -> Value:
        """A call without ``yield``."""
        callee = self._callee(node)
        if callee.operation is not None:
            text = self.source.code(node)
            yielded = f"(yield {text})" if used else f"yield {text}"
            self.source.fail("missing-yield", node, text=text, yielded=yielded)
        if callee.struct is not None:
            return self.calls.helper(node, callee, dest, used)
        return self.functions.call(node, callee, dest)

    def _callee(self, call: ast.Call) -> Callee:
        """Find out what is called. The struct or word that it is called on is compiled."""
        function, name = call.func, self.source.code(call.func)
        if isinstance(function, ast.Attribute):
            if self._is_super(function.value):
                return self._above(call, function.attr)
            base = self.owner(function.value)
            if isinstance(base, WordAt):
                return self.operations.word(base, function)
            if isinstance(base, StructAt):
                if function.attr in base.type.cls.FIELDS:
                    text, hint = self.source.code(call), "a field is not called"
                    self.source.fail("not-a-value", call, text=text, suggestion=hint)
                return Callee(function.attr, struct=base)
            found = self.places.attribute(base, function)
        elif isinstance(function, ast.Name) and function.id not in self.variables:
            found = self.places.name(function)
        else:
            self.source.fail("unknown-call", call, name=name)
        return Callee(name, static=found.object if isinstance(found, Static) else found)

    def _is_super(self, node: ast.expr) -> bool:
        """Whether an expression is ``super()``."""
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and self.method.lookup(node.func.id) is super
            and not node.args
            and not node.keywords
        )

    def _above(self, call: ast.Call, name: str) -> Callee:
        """The method of a base class that ``super()`` gives."""
        found = self.unit.above(self.method, name)
        if found is None:
            self.source.fail("super-nothing", call, name=name, owner=self.method.owner.__name__)
        return Callee(found, struct=StructAt("r0", Ptr(self.unit.cls, own=True)))

    # Arithmetic

    def _literal(self, node: ast.Constant) -> Value:  # noqa: RET503 - fail() raises
        n = node.value
        if isinstance(n, int):
            return self.places.constant(n, node)
        if isinstance(n, float | complex):
            self.source.fail("float", node, value=self.source.code(node))
        if n is None:
            self.source.fail("none", node)
        if isinstance(n, str | bytes):
            self.source.fail("string", node)
        self.source.fail("expression", node, what="'...'")

    def arithmetic(
        self, op: ast.operator, left: Value, right: Value, node: ast.AST, dest: str | None
    ) -> Value:
        """One operator on two numbers."""
        a, b = left.constant, right.constant
        if isinstance(op, ast.Pow) and a is not None and b is not None and 0 <= b <= 1024:
            return self.places.constant(a**b, node)
        if isinstance(op, ast.Div):
            self.source.fail("true-division", node)
        if type(op) not in ARITHMETIC:
            self.source.fail("power", node, text="**" if isinstance(op, ast.Pow) else "@")
        name, fold = ARITHMETIC[type(op)]
        if name in ("FLOORDIV", "MOD") and b == 0:
            self.source.fail("division-by-zero", node)
        if name in ("SHL", "SHR") and b is not None and not 0 <= b < 64:
            self.source.fail("shift-range", node, count=b)
        if a is not None and b is not None:
            return self.places.constant(fold(a, b), node)
        result = self.emitter.register(dest)
        self.emitter.emit(name, result, left.operand, right.operand, node=node)
        return Value(result, INT)

    def _unary(self, node: ast.UnaryOp, dest: str | None) -> Value:
        if isinstance(node.op, ast.Not):
            return self.conditions.negation(node, dest)
        value = self.number(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        n = value.constant
        if n is not None:
            return number_value(-n if isinstance(node.op, ast.USub) else ~n)
        result = self.emitter.register(dest)
        name = "NEG" if isinstance(node.op, ast.USub) else "INV"
        self.emitter.emit(name, result, value.operand, node=node)
        return Value(result, INT)

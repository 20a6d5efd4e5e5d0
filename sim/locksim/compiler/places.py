"""Names, attributes and indexes: from ``self.nodes[cpu()].next`` to a base register and a path."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType
from typing import NoReturn

from locksim.compiler.emitter import Emitter
from locksim.compiler.sources import MISSING, MethodSource, is_method
from locksim.compiler.unit import Unit, base_text
from locksim.compiler.values import (
    FOLDED_BITS,
    INT,
    ArrayAt,
    Operand,
    Ptr,
    Ref,
    Result,
    Static,
    StructAt,
    Value,
    WordAt,
    fits,
    number_value,
)
from locksim.compiler.variables import Variables
from locksim.lang.fields import Field, array, param, part, word
from locksim.lang.ops import Order
from locksim.lang.struct import Struct
from lockui.suggest import did_you_mean

WORD_OPERATIONS = (
    "load",
    "store",
    "swap",
    "compare_swap",
    "fetch_add",
    "fetch_and",
    "fetch_or",
    "fetch_xor",
)


class Places:
    """Knows what a name, an attribute and an index mean.

    It never compiles an expression: what stands before a dot and what stands in brackets come to
    it compiled. It emits the address of an element, and of a struct or word whose address is a
    value.
    """

    def __init__(
        self, unit: Unit, method: MethodSource, variables: Variables, emitter: Emitter
    ) -> None:
        self.unit, self.method, self.source = unit, method, method.source
        self.variables, self.emitter = variables, emitter

    # Names

    def name(self, node: ast.Name) -> Result:
        """A variable, or a name of the file."""
        if node.id == "self":
            return StructAt("r0", Ptr(self.unit.cls, own=True))
        if node.id in self.variables:
            kind, register = self.variables.type_of(node.id), self.variables.registers[node.id]
            if isinstance(kind, Ref):
                return WordAt(register, None, (), kind.target)
            return StructAt(register, kind) if isinstance(kind, Ptr) else Value(register, kind)
        found = self.method.lookup(node.id)
        if found is MISSING:
            known = [*self.variables.types, *self.method.names()]
            hint = did_you_mean(node.id, known, "give it a value first")
            self.source.fail("unknown-name", node, name=node.id, suggestion=hint)
        return self._static(found, node)

    def _static(self, found: object, node: ast.expr) -> Result:
        """What the file's names mean: numbers are constants, the rest is for the compiler."""
        if isinstance(found, int) and not isinstance(found, Order):
            return self.constant(found, node)
        if isinstance(found, float | complex):
            self.source.fail("float", node, value=self.source.code(node))
        return Static(found)

    def constant(self, n: int, node: ast.AST) -> Value:
        """A number. Whether it fits into a register is checked when it gets into one."""
        if not fits(n, FOLDED_BITS):
            self.source.fail("too-big", node, value=self.source.code(node))
        return number_value(n)

    # Attributes

    def attribute(self, base: Result, node: ast.Attribute) -> Result:  # noqa: RET503 - fail() raises
        """A field, a constant of a class, or a name in a module.

        Arguments:
            base: what stands before the dot.
        """
        match base:
            case StructAt():
                return self.field(base, node)
            case Static():
                return self._name_of(base.object, node)
            case WordAt():
                self._refuse_word(base, node)
            case ArrayAt():
                self.source.fail("index-needed", node.value, text=self.source.code(node.value))
            case _:
                self._refuse_number(node)

    def field(self, base: StructAt, node: ast.Attribute) -> Result:  # noqa: RET503 - fail() raises
        """A field of a struct."""
        cls = base.type.cls
        field, path = cls.FIELDS.get(node.attr), (*base.path, node.attr)
        if isinstance(field, array):
            return ArrayAt(base.base, base.pointer, path, field)
        if isinstance(field, word):
            return WordAt(base.base, base.pointer, path, self._target(field, node))
        if isinstance(field, part):
            return StructAt(base.base, base.pointer, path)
        if isinstance(field, param):
            return self._parameter(base.type, node)
        found = inspect.getattr_static(cls, node.attr, MISSING)
        if isinstance(found, int | float):
            return self._static(found, node)
        if is_method(cls, node.attr):
            self.source.fail("not-called", node, text=self.source.code(node))
        known = [n for n in dir(cls) if n in cls.FIELDS or isinstance(vars(cls).get(n), int)]
        hint = did_you_mean(node.attr, known, f"declare it in the class: {node.attr} = word()")
        self.source.fail("unknown-field", node, owner=cls.__name__, name=node.attr, suggestion=hint)

    def _parameter(self, pointer: Ptr, node: ast.Attribute) -> Value:
        """A param: of ``self``'s description, or of the defaults that a pointer means."""
        if pointer.own:
            return Value("$" + ".".join([*pointer.path, node.attr]), INT)
        spec: Struct = pointer.root()
        for name in pointer.path:
            spec = spec._parts[name]
        return self.constant(spec._params[node.attr], node)

    def _target(self, field: word, node: ast.AST) -> type[Struct] | None:
        """The struct that a word points to."""
        try:
            return field.target()
        except TypeError as e:
            self.source.fail("declaration", node, detail=str(e))

    def _name_of(self, owner: object, node: ast.Attribute) -> Result:  # noqa: RET503 - fail() raises
        """A name in a module, or a constant of a class."""
        found = inspect.getattr_static(owner, node.attr, MISSING)
        if isinstance(owner, ModuleType | type) and not isinstance(found, Field):
            if found is MISSING:
                name, hint = self.source.code(node), did_you_mean(node.attr, vars(owner))
                self.source.fail("unknown-name", node, name=name, suggestion=hint)
            return self._static(found, node)
        text, hint = self.source.code(node.value), "use a struct or a number"
        self.source.fail("not-a-value", node.value, text=text, suggestion=hint)

    def _refuse_word(self, base: WordAt, node: ast.Attribute) -> NoReturn:
        text = self.source.code(node.value)
        if node.attr in WORD_OPERATIONS:
            self.source.fail("not-called", node, text=self.source.code(node))
        hint = did_you_mean(node.attr, WORD_OPERATIONS)
        if base.target:
            hint = f"load the pointer first: '(yield {text}.load()).{node.attr}'"
        self.source.fail("unknown-operation", node, name=node.attr, suggestion=hint)

    def _refuse_number(self, node: ast.Attribute) -> NoReturn:
        text = self.source.code(node.value)
        if node.attr in WORD_OPERATIONS:
            hint = "use it as it is; only words of the class are loaded and stored"
        elif isinstance(node.value, ast.Name) and text in self.variables.arguments:
            hint = f"say what it points to: 'def {self.method.name}(self, {text}: Node)'"
        else:
            hint = "declare the word that it came from as pointer(Node), or write cast(Node, …)"
        self.source.fail("attribute-of-number", node, text=text, name=node.attr, suggestion=hint)

    # Indexes

    def array(self, base: Result, node: ast.Subscript) -> ArrayAt:
        """What stands before a bracket, which has to be an array with one index."""
        if not isinstance(base, ArrayAt):
            self.source.fail("not-indexable", node, text=self.source.code(node.value))
        if isinstance(node.slice, ast.Slice | ast.Tuple):
            self.source.fail("expression", node, what="slices")
        return base

    def element(
        self, base: ArrayAt, index: Value, node: ast.Subscript, dest: str | None
    ) -> WordAt | StructAt:
        """An element of an array."""
        self._check_index(base, index, node)
        at, kind = self.emitter.register(dest), base_text(base.pointer, self.unit)
        path = [*base.path]
        self.emitter.emit("INDEX", at, base.base, kind, path, index.operand, node=node)
        if isinstance(base.field.of, word):
            return WordAt(at, None, (), self._target(base.field.of, node))
        return StructAt(at, base.pointer.at(base.path))

    def _check_index(self, base: ArrayAt, index: Value, node: ast.Subscript) -> None:
        if index.constant is None:
            return
        field = base.field
        known = isinstance(field.n, int) and not field.per
        count = int(field.n) if known else None
        if index.constant < 0 or (count is not None and index.constant >= count):
            self.source.fail(
                "index-range",
                node,
                index=index.constant,
                text=self.source.code(node.value),
                count=count if count is not None else "0 or more",
                last=count - 1 if count is not None else "its length - 1",
            )

    # Values and addresses

    def value(self, result: Result, node: ast.AST, dest: str | None = None) -> Value:  # noqa: RET503 - fail() raises
        """A result as something that a register can hold; a word has to be loaded first."""
        if isinstance(result, Value):
            return result
        if isinstance(result, StructAt):
            if not result.path:
                return Value(result.base, result.type)
            at: Operand = self.emitter.register(dest)
            kind = base_text(result.pointer, self.unit)
            self.emitter.emit("ADDR", at, result.base, kind, [*result.path], node=node)
            return Value(at, result.type)
        text = self.source.code(node)
        if isinstance(result, WordAt):
            self.source.fail("load-needed", node, text=text)
        self.source.fail("not-a-value", node, text=text, suggestion=_suggest(result))

    def reference(self, at: WordAt, dest: str, node: ast.AST) -> Value:
        """The address of a word, in a register."""
        kind = Ref(at.target)
        if at.pointer is None:
            return Value(at.base, kind)
        base = base_text(at.pointer, self.unit)
        self.emitter.emit("ADDR", dest, at.base, base, [*at.path], node=node)
        return Value(dest, kind)


def _suggest(result: ArrayAt | Static) -> str:
    if isinstance(result, ArrayAt):
        return "index it"
    if isinstance(result.object, type):
        name = result.object.__name__
        return f"make one with alloc({name}), or point to one"
    return "call it, or use a number"

"""Names, attributes and indexes: from ``self.nodes[cpu()].next`` to a base register and a path."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

from locksim.compiler.context import Context
from locksim.compiler.diagnostics import did_you_mean
from locksim.compiler.sources import MISSING, is_method
from locksim.compiler.values import (
    FOLDED_BITS,
    INT,
    NULL_TYPE,
    ArrayAt,
    Ptr,
    Ref,
    Result,
    Static,
    StructAt,
    Value,
    WordAt,
    fits,
)
from locksim.lang.fields import Field, array, param, part, word
from locksim.lang.ops import Order
from locksim.lang.struct import Struct

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


def number_value(n: int) -> Value:
    """A constant."""
    return Value(int(n), INT if n else NULL_TYPE)


class Places(Context):
    """Compiles what names a thing."""

    def name(self, node: ast.Name) -> Result:
        """A variable, or a name of the file."""
        if node.id == "self":
            return StructAt("r0", Ptr(self.unit.cls, own=True))
        if node.id in self.types:
            kind, register = self.type_of(node.id), self.registers[node.id]
            if isinstance(kind, Ref):
                return WordAt(register, None, (), kind.target)
            return StructAt(register, kind) if isinstance(kind, Ptr) else Value(register, kind)
        found = self.method.lookup(node.id)
        if found is MISSING:
            hint = did_you_mean(
                node.id, [*self.types, *self.method.names()], "give it a value first"
            )
            self.fail("unknown-name", node, name=node.id, suggestion=hint)
        return self.static(found, node)

    def static(self, found: object, node: ast.expr) -> Result:
        """What the file's names mean: numbers are constants, the rest is for the compiler."""
        if isinstance(found, int) and not isinstance(found, Order):
            return self.constant(found, node)
        if isinstance(found, float | complex):
            self.fail("float", node, value=self.text(node))
        return Static(found)

    def constant(self, n: int, node: ast.AST) -> Value:
        """A number; that it fits into a register is seen to when it gets into one."""
        if not fits(n, FOLDED_BITS):
            self.fail("too-big", node, value=self.text(node))
        return number_value(n)

    def attribute(self, node: ast.Attribute) -> Result:  # noqa: RET503 - fail() raises
        """A field, a constant of a class, or a name in a module."""
        base = self.owner(node.value)
        if isinstance(base, StructAt):
            return self.field(base, node)
        text = self.text(node.value)
        if isinstance(base, Static):
            found = inspect.getattr_static(base.object, node.attr, MISSING)
            if isinstance(base.object, ModuleType | type) and not isinstance(found, Field):
                if found is MISSING:
                    hint = did_you_mean(node.attr, vars(base.object))
                    self.fail("unknown-name", node, name=self.text(node), suggestion=hint)
                return self.static(found, node)
            self.fail("not-a-value", node.value, text=text, suggestion="use a struct or a number")
        if isinstance(base, WordAt):
            if node.attr in WORD_OPERATIONS:
                self.fail("not-called", node, text=self.text(node))
            hint = (
                f"load the pointer first: '(yield {text}.load()).{node.attr}'"
                if base.target
                else did_you_mean(node.attr, WORD_OPERATIONS)
            )
            self.fail("unknown-operation", node, name=node.attr, suggestion=hint)
        if isinstance(base, ArrayAt):
            self.fail("index-needed", node.value, text=text)
        hint = "use it as it is; only words of the class are loaded and stored"
        if node.attr not in WORD_OPERATIONS:
            hint = (
                f"say what it points to: 'def {self.method.name}(self, {text}: Node)'"
                if isinstance(node.value, ast.Name) and text in self.arguments
                else "declare the word that it came from as pointer(Node), or write cast(Node, …)"
            )
        self.fail("attribute-of-number", node, text=text, name=node.attr, suggestion=hint)

    def owner(self, node: ast.expr) -> Result:
        """What stands before a dot; any pointer is the struct that it points to."""
        found = self.eval(node)
        if isinstance(found, Value) and isinstance(found.type, Ptr):
            return StructAt(found.operand, found.type)
        return found

    def field(self, base: StructAt, node: ast.Attribute) -> Result:  # noqa: RET503 - fail() raises
        """A field of a struct."""
        cls = base.type.cls
        field, path = cls.FIELDS.get(node.attr), (*base.path, node.attr)
        if isinstance(field, array):
            return ArrayAt(base.base, base.pointer, path, field)
        if isinstance(field, word):
            return WordAt(base.base, base.pointer, path, self.target(field, node))
        if isinstance(field, part):
            return StructAt(base.base, base.pointer, path)
        if isinstance(field, param):
            return self.parameter(base.type, node)
        found = inspect.getattr_static(cls, node.attr, MISSING)
        if isinstance(found, int | float):
            return self.static(found, node)
        if is_method(cls, node.attr):
            self.fail("not-called", node, text=self.text(node))
        known = [n for n in dir(cls) if n in cls.FIELDS or isinstance(vars(cls).get(n), int)]
        hint = did_you_mean(node.attr, known, "declare it in the class: " + f"{node.attr} = word()")
        self.fail("unknown-field", node, owner=cls.__name__, name=node.attr, suggestion=hint)

    def parameter(self, pointer: Ptr, node: ast.Attribute) -> Value:
        """A param: of ``self``'s description, or of the defaults that a pointer means."""
        if pointer.own:
            return Value("$" + ".".join([*pointer.path, node.attr]), INT)
        spec: Struct = pointer.root()
        for name in pointer.path:
            spec = spec._parts[name]
        return self.constant(spec._params[node.attr], node)

    def target(self, field: word, node: ast.AST) -> type[Struct] | None:
        """The struct that a word points to."""
        try:
            return field.target()
        except TypeError as e:
            self.fail("declaration", node, detail=str(e))

    def element(self, node: ast.Subscript, dest: str | None) -> Result:
        """An element of an array."""
        base = self.eval(node.value)
        if not isinstance(base, ArrayAt):
            self.fail("not-indexable", node, text=self.text(node.value))
        if isinstance(node.slice, ast.Slice | ast.Tuple):
            self.fail("expression", node, what="slices")
        index = self.number(node.slice)
        self._check_index(base, index, node)
        at = self.register(dest)
        kind = self.kind(base.pointer)
        self.emit("INDEX", at, base.base, kind, [*base.path], index.operand, node=node)
        if isinstance(base.field.of, word):
            return WordAt(at, None, (), self.target(base.field.of, node))
        return StructAt(at, base.pointer.at(base.path))

    def _check_index(self, base: ArrayAt, index: Value, node: ast.Subscript) -> None:
        if index.constant is None:
            return
        field = base.field
        known = isinstance(field.n, int) and not field.per_cpu and not field.per_thread
        count = int(field.n) if known else None
        if index.constant < 0 or (count is not None and index.constant >= count):
            self.fail(
                "index-range",
                node,
                index=index.constant,
                text=self.text(node.value),
                count=count if count is not None else "0 or more",
                last=count - 1 if count is not None else "its length - 1",
            )

"""Parsed files: classes made from their declarations alone. Nothing of the text is run.

A file holds imports from the language and the library, whole numbers, and classes. Fields are read
from the syntax tree into the same objects that a live class has; the methods stay trees, kept in
``PARSED``.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import re
from collections.abc import Callable, Sequence
from typing import Any, cast

import locksim.lang as language
from locksim.compiler.diagnostics import Source
from locksim.compiler.expressions import ARITHMETIC
from locksim.compiler.sources import FILES, MISSING, PARSED, RESERVED, MethodSource, parse
from locksim.compiler.values import FOLDED_BITS, fits
from locksim.lang.fields import Field, array, param, part, percpu, pernode, perthread, pointer, word
from locksim.lang.ops import Order
from locksim.lang.struct import ALL_MODELS, METERS, Struct
from lockui.suggest import did_you_mean

_FIELDS: tuple[type[Field], ...] = (
    *(word, pointer, array, percpu, pernode, perthread, part, param),
)
_LIBRARY = re.compile(r"locksim\.library\.(locks|avc|kernel|schedulers|specs)(\.[a-z][a-z0-9_]*)?")
_HARMLESS = {"__future__": {"annotations"}, "typing": {"ClassVar"}}
"""Imports that a live file needs for Python and for type checkers; nothing is looked up in them."""


def declare(text: str, filename: str) -> dict[str, type[Struct]]:
    """The classes of a file, by name, in order.

    Arguments:
        text: Python source. filename: for messages.

    Raises:
        CompileError: the text is outside the language.
    """
    return _File(Source(filename, text), parse(text, filename)).classes


class _File:
    """A file in the reading."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self.source, self.fail = source, source.fail
        self.names: dict[str, Any] = {}
        self.classes: dict[str, type[Struct]] = {}
        self.later: list[tuple[pointer, ast.expr]] = []
        for node in tree.body:
            self._statement(node)
        for field, where in self.later:
            self._resolve(field, where)

    def lookup(self, name: str) -> object:
        """What a name means in the file: its own names, or Python's builtins."""
        if name in self.names:
            return self.names[name]
        return getattr(builtins, name, MISSING)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.ImportFrom():
                self._import_from(node)
            case ast.Import():
                self._import(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.names[name] = self._number(value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                self.names |= self._numbers(node, targets, values)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self.names[name] = self._number(value)
            case ast.Expr(value=ast.Constant(value=str())):
                pass
            case _:
                self.fail("module-statement", node)

    # Imports

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level == 0 and module in _HARMLESS:
            for alias in node.names:
                if alias.name not in _HARMLESS[module]:
                    self.fail("module-import", node, name=f"{module}.{alias.name}")
            return
        found = None if node.level else _module(module)
        if found is None:
            self.fail("module-import", node, name="." * node.level + module)
        offered: dict[str, Any] = {n: v for n, v in vars(found).items() if _allowed(v)}
        for alias in node.names:
            if alias.name == "*":
                public = getattr(found, "__all__", None) or [n for n in offered if n[0] != "_"]
                self.names |= {n: offered[n] for n in public if n in offered}
            elif alias.name in offered:
                self.names[alias.asname or alias.name] = offered[alias.name]
            else:
                hint = did_you_mean(alias.name, offered)
                self.fail("unknown-name", node, name=f"{module}.{alias.name}", suggestion=hint)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            found = _module(alias.name) if alias.asname else None
            if found is None:
                self.fail("module-import", node, name=alias.name)
            self.names[alias.asname or alias.name] = found

    # Classes

    def _class(self, node: ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            self.fail("decorator", decorator, text=self.source.code(decorator))
        if node.keywords:
            self.fail("class-statement", node.keywords[0].value)
        bases = tuple(self._base(b, node.name) for b in node.bases)
        if not bases:
            self.fail("base-class", node, text="object", name=node.name)
        body: dict[str, Any] = {"__doc__": ast.get_docstring(node), "__module__": self.source.file}
        methods: dict[str, ast.FunctionDef] = {}
        for statement in node.body:
            self._member(statement, node, body, methods, bases)
        try:
            cls: type[Struct] = type(node.name, bases, body)
        except TypeError as e:
            self.fail("declaration", node, detail=str(e))
        for name in methods.keys() & cls.FIELDS.keys():
            self.fail("declaration", methods[name], detail=f"{name} is a field already")
        FILES[cls] = self.source
        PARSED[cls] = {
            name: MethodSource(
                name,
                tree,
                self.source,
                cls,
                self.lookup,
                lambda: [*self.names],
                cls.METERED.get(name),
            )
            for name, tree in methods.items()
        }
        self.names[node.name] = self.classes[node.name] = cls

    def _base(self, node: ast.expr, name: str) -> type[Struct]:
        found = self._value(node) if isinstance(node, ast.Name | ast.Attribute) else None
        if not (isinstance(found, type) and issubclass(found, Struct)):
            self.fail("base-class", node, text=self.source.code(node), name=name)
        return found

    def _member(
        self,
        node: ast.stmt,
        cls: ast.ClassDef,
        body: dict[str, Any],
        methods: dict[str, ast.FunctionDef],
        bases: tuple[type[Struct], ...],
    ) -> None:
        for name in (getattr(t, "id", "") for t in getattr(node, "targets", [])):
            if name in RESERVED:
                self.fail("reserved-name", node, name=name)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if node.name.startswith("__") and node.name.endswith("__"):
                    self.fail("special-method", node, name=node.name)
                if isinstance(node, ast.AsyncFunctionDef):
                    self.fail("async", node)
                methods[node.name] = node
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                pass
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                if name == "METERED":
                    body[name] = self._meters(value, bases)
                elif name == "MODELS":
                    body[name] = self._models(value)
                elif isinstance(value, ast.Call) and self._is_field(value):
                    body[name] = self._field(value, cls.name)
                elif name.isupper():
                    body[name] = self._number(value, body)
                else:
                    self.fail("class-statement", node)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                numbers = self._numbers(node, targets, values, body)
                special = {*RESERVED, "METERED", "MODELS"}
                if any(name in special or not name.isupper() for name in numbers):
                    self.fail("class-statement", node)
                body |= numbers
            case _:
                self.fail("class-statement", node)

    def _meters(self, node: ast.expr, bases: tuple[type[Struct], ...]) -> dict[str, str]:  # noqa: RET503 - fail() raises
        match node:
            case ast.Dict():
                found: dict[str, str] = {}
                for key, value in zip(node.keys, node.values, strict=True):
                    if key is None:
                        found |= self._meters(value, bases)
                        continue
                    match key, value:
                        case ast.Constant(value=str() as name), ast.Constant(value=str() as role):
                            if role not in METERS:
                                self.fail("metered-name", value, name=name, role=role)
                            found[name] = role
                        case _:
                            self.fail("class-statement", value)
                return found
            case ast.BinOp(op=ast.BitOr()):
                return self._meters(node.left, bases) | self._meters(node.right, bases)
            case ast.Attribute(attr="METERED"):
                return dict(self._base(node.value, "METERED").METERED)
        self.fail("class-statement", node)

    def _models(self, node: ast.expr) -> tuple[str, ...]:
        """The memory models that a struct claims to be right under."""
        elements = node.elts if isinstance(node, ast.Tuple) else []
        named = tuple(e.value for e in elements if isinstance(e, ast.Constant))
        if not named or len(named) < len(elements) or not {*named} <= {*ALL_MODELS}:
            self.fail("class-statement", node)
        return cast("tuple[str, ...]", named)

    # Values of declarations

    def _is_field(self, node: ast.Call) -> bool:
        simple = isinstance(node.func, ast.Name | ast.Attribute)
        return simple and any(self._value(node.func) is f for f in _FIELDS)

    def _field(self, node: ast.Call, owner: str) -> Field:
        made = self._call(node, owner)
        assert isinstance(made, Field)
        return made

    def _call(self, node: ast.Call, owner: str) -> Any:
        """A field or a description of a struct: ``array(8, pointer(Node))``, ``AVC(slots=64)``."""
        make: Callable[..., Any] = self._value(node.func)
        if not (
            any(make is f for f in _FIELDS) or (isinstance(make, type) and issubclass(make, Struct))
        ):
            self.fail("not-constant", node, text=self.source.code(node))
        values = [self._argument(a, owner) for a in node.args]
        keywords = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                self.fail("declaration", node, detail="** is not allowed")
            keywords[keyword.arg] = self._argument(keyword.value, owner)
        try:
            made = make(*values, **keywords)
            self._sane(made)
        except TypeError as e:
            name = make.__name__
            detail = str(e).replace(f"{name}.__init__", name).replace("__init__", name)
            self.fail("declaration", node, detail=detail)
        if isinstance(made, pointer) and isinstance(made.to, str):
            self.later.append((made, node))
            if made.to == owner:
                self.later.pop()
        return made

    def _sane(self, made: Any) -> None:
        """Field constructors believe what they are given; here it is a stranger's."""
        given: dict[str, Any] = vars(made)
        wrong = None
        if isinstance(made, array):
            count = given["n"]
            if isinstance(count, int) and count < (0 if made.per else 1):
                wrong = f"an array of {count} elements"
            elif not isinstance(count, int | str):
                wrong = "the number of elements is not a number"
            elif not _is_element(made.of):
                wrong = "the elements are words, pointers or structs"
        elif isinstance(made, part) and not _is_struct(made.of):
            wrong = "a part is a struct"
        elif isinstance(made, pointer):
            if not (
                isinstance(made.to, str) or (_is_struct(made.to) and isinstance(made.to, type))
            ):
                wrong = "a pointer points to a struct's class"
        elif isinstance(made, word) and not isinstance(given["init"], int):
            wrong = "a word starts with a whole number"
        elif isinstance(made, param) and not isinstance(given["default"], int):
            wrong = "a param is a whole number"
        if wrong:
            raise TypeError(wrong)

    def _argument(self, node: ast.expr, owner: str) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bool):
            return node.value
        if isinstance(node, ast.Call):
            return self._call(node, owner)
        found = self._value(node)
        if found is MISSING:
            hint = did_you_mean(self.source.code(node), self.names, "define it above")
            self.fail("unknown-name", node, name=self.source.code(node), suggestion=hint)
        return found

    def _value(self, node: ast.expr, scope: dict[str, Any] | None = None) -> Any:
        """A name's meaning, or a constant's number."""
        if isinstance(node, ast.Name):
            return (
                scope[node.id] if scope and node.id in scope else self.names.get(node.id, MISSING)
            )
        if isinstance(node, ast.Attribute):
            base = self._value(node.value, scope)
            found = getattr(base, node.attr, MISSING) if base is not MISSING else MISSING
            return found if _allowed(found) else MISSING
        return self._number(node, scope)

    def _number(self, node: ast.expr, scope: dict[str, Any] | None = None) -> int:
        """A constant expression: numbers, names of constants, and operators."""
        number = self._exact(node, scope)
        if not fits(number):
            self.fail("too-big", node, value=self.source.code(node))
        return number

    def _numbers(
        self,
        node: ast.stmt,
        targets: Sequence[ast.expr],
        values: Sequence[ast.expr],
        scope: dict[str, Any] | None = None,
    ) -> dict[str, int]:
        """Constants in one line: ``FREE, TAKEN = 0, 1``."""
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if not len(names) == len(targets) == len(values):
            self.fail("module-statement" if scope is None else "class-statement", node)
        return dict(zip(names, [self._number(v, scope) for v in values], strict=True))

    def _exact(self, node: ast.expr, scope: dict[str, Any] | None) -> int:
        """The same on the way: ``1 << 63`` in ``-(1 << 63)``."""
        number = self._folded(node, scope)
        if number is None:
            self.fail("not-constant", node, text=self.source.code(node))
        if not fits(number, FOLDED_BITS):
            self.fail("too-big", node, value=self.source.code(node))
        return number

    def _folded(self, node: ast.expr, scope: dict[str, Any] | None) -> int | None:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, float):
                self.fail("float", node, value=self.source.code(node))
            return node.value if isinstance(node.value, int) else None
        if isinstance(node, ast.Name | ast.Attribute):
            found = self._value(node, scope)
            return found if isinstance(found, int) and not isinstance(found, Order) else None
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            n = self._exact(node.operand, scope)
            return {ast.USub: -n, ast.UAdd: n, ast.Invert: ~n}[type(node.op)]
        if isinstance(node, ast.BinOp):
            a, b = self._exact(node.left, scope), self._exact(node.right, scope)
            if isinstance(node.op, ast.Pow) and 0 <= b <= 1024:
                return int(a**b)
            if type(node.op) not in ARITHMETIC:
                return None
            name, fold = ARITHMETIC[type(node.op)]
            if name in ("FLOORDIV", "MOD") and b == 0:
                self.fail("division-by-zero", node)
            if name in ("SHL", "SHR") and not 0 <= b < 64:
                self.fail("shift-range", node, count=b)
            return fold(a, b)
        return None

    def _resolve(self, field: pointer, where: ast.expr) -> None:
        found = self.names.get(str(field.to))
        if not (isinstance(found, type) and issubclass(found, Struct)):
            hint = did_you_mean(str(field.to), self.classes)
            self.fail("unknown-name", where, name=field.to, suggestion=hint)
        field.to = found


def _module(name: str) -> Any:
    """A module of the language or of the library, None for every other."""
    if name == "locksim.lang":
        return language
    if not _LIBRARY.fullmatch(name) or importlib.util.find_spec(name) is None:
        return None
    return importlib.import_module(name)


def _allowed(thing: object) -> bool:
    """Whether a parsed file may have something: numbers, structs, and the words of the language."""
    if isinstance(thing, int) or any(thing is f for f in _FIELDS):
        return True
    if isinstance(thing, type):
        return issubclass(thing, Struct)
    return any(thing is getattr(language, name) for name in language.__all__)


def _is_struct(thing: object) -> bool:
    return isinstance(thing, Struct) or (isinstance(thing, type) and issubclass(thing, Struct))


def _is_element(thing: object) -> bool:
    return isinstance(thing, word) or _is_struct(thing)

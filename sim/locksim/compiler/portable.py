"""Bytecode as JSON: what crosses from the compiler to a grader, a C printer or a file.

Classes of the library travel as their names; every other struct travels as its fields. Reading a
document makes new classes with those fields, and methods that interpret the document's bytecode: no
code of the document is run as Python.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from locksim.compiler.frontend import enter
from locksim.compiler.ir import SIGNATURES, ClassCode, Instr, MethodCode
from locksim.compiler.sources import KINDS
from locksim.lang.fields import Field, array, param, part, percpu, pernode, perthread, pointer, word
from locksim.lang.struct import Struct

FORMAT = 1
"""Version of the document."""
_KINDS: dict[str, type[Struct]] = {c.__name__: c for c in KINDS}
Json = dict[str, Any]


class FormatError(Exception):
    """A document that is not bytecode; the message says what is wrong."""

    exit_code = 2


def code_to_json(code: ClassCode) -> Json:
    """One class's bytecode as JSON-ready data."""
    return codes_to_json({code.name: code})


def code_from_json(document: Json) -> ClassCode:
    """The bytecode of a document of one class.

    Raises:
        FormatError: the document is something else.
    """
    codes = codes_from_json(document)
    if len(codes) != 1:
        raise FormatError(
            f"the document has {len(codes)} classes, and must have one: use codes_from_json"
        )
    return next(iter(codes.values()))


def codes_to_json(codes: Mapping[str, ClassCode]) -> Json:
    """The bytecode of several classes that use one another."""
    table = _Table()
    classes = {
        name: {
            "struct": table.key(code.struct),
            "file": code.file,
            "doc": code.doc,
            "source": code.source,
            "types": {n: table.key(t) for n, t in code.types.items()},
            "methods": {n: _method(m) for n, m in code.methods.items()},
        }
        for name, code in codes.items()
    }
    return {"format": FORMAT, "structs": table.structs, "classes": classes}


def codes_from_json(document: Json) -> dict[str, ClassCode]:
    """The bytecode of a document, by class. Engines and checker find it by the class.

    A class of the library keeps the bytecode of its source, whatever the document says.

    Raises:
        FormatError: the document is of another version, or something in it is not what it has to
            be.
    """
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FormatError(
            f"this is not bytecode of format {FORMAT}: write it again with this version"
        )
    try:
        structs = _structs(document["structs"])
        codes = {
            name: ClassCode(
                structs[c["struct"]].__name__,
                c["file"],
                structs[c["struct"]],
                c["doc"],
                {n: structs[k] for n, k in c["types"].items()},
                {n: _read_method(m) for n, m in c["methods"].items()},
                c["source"],
            )
            for name, c in document["classes"].items()
        }
        for name, c in document["classes"].items():
            if "library" not in document["structs"][c["struct"]]:
                enter(codes[name])
        return codes
    except (KeyError, TypeError, ValueError, AttributeError, ImportError) as e:
        raise FormatError(f"the bytecode is damaged: {type(e).__name__}: {e}") from e


class _Table:
    """The structs of a document: key → declaration."""

    def __init__(self) -> None:
        self.structs: dict[str, Json] = {}
        self.keys: dict[type[Struct], str] = {}

    def key(self, cls: type[Struct]) -> str:
        """A struct's key; its declaration is added the first time."""
        if cls in self.keys:
            return self.keys[cls]
        key = cls.__name__
        while key in self.structs:
            key += "'"
        self.keys[cls] = key
        self.structs[key] = {}  # taken: a struct may point to itself
        if _in_library(cls):
            self.structs[key] = {"library": f"{cls.__module__}:{cls.__qualname__}"}
        else:
            kind = next(name for name, base in _KINDS.items() if issubclass(cls, base))
            fields = {n: self._field(f) for n, f in cls.FIELDS.items()}
            self.structs[key] = {
                "name": cls.__name__,
                "kind": kind,
                "metered": dict(cls.METERED),
                "recursive": int(cls.RECURSIVE),
                "fields": fields,
            }
        return key

    def _field(self, field: Field) -> Json:
        match field:
            case pointer():
                return {"is": "pointer", "to": self.key(field.target()), "padded": field.padded}
            case word():
                plain = {"plain": True} if field.plain else {}
                return {"is": "word", "init": field.init, "padded": field.padded, **plain}
            case param():
                return {"is": "param", "default": field.default}
            case part():
                of_part = self._description(field.of)
                return {"is": "part", "of": of_part, "padded": field.padded, **_aligned(field)}
            case array():
                of = field.of
                inner = self._field(of) if isinstance(of, word) else self._description(of)
                if field.per:
                    return {"is": f"per{field.per}", "of": inner, **_aligned(field)}
                found = {"is": "array", "n": field.n, "of": inner, "padded": field.padded}
                return found | _aligned(field)
        raise TypeError(f"{type(field).__name__} is not a field")

    def _description(self, of: type[Struct] | Struct) -> Json:
        if isinstance(of, type):
            return {"is": "struct", "struct": self.key(of)}
        params = dict(of._params)
        parts = {n: self._description(p) for n, p in of._parts.items()}
        return {"is": "struct", "struct": self.key(type(of)), "params": params, "parts": parts}


def _aligned(field: part | array) -> Json:
    found: Json = {"align": field.align} if field.align else {}
    return found | ({"scattered": True} if getattr(field, "scattered", False) else {})


def _alignment_of(d: Json) -> Json:
    return {"align": d.get("align", 0), "scattered": d.get("scattered", False)}


def _in_library(cls: type[Struct]) -> bool:
    if not cls.__module__.startswith("locksim.") or "." in cls.__qualname__:
        return False
    return getattr(importlib.import_module(cls.__module__), cls.__name__, None) is cls


def _structs(table: dict[str, Json]) -> dict[str, type[Struct]]:
    """Make the structs of a table; pointers come last: structs may point to one another."""
    made: dict[str, type[Struct]] = {}
    pointers: list[tuple[pointer, str]] = []

    def struct(key: str) -> type[Struct]:
        if key not in made:
            made[key] = declaration(key, table[key])
        return made[key]

    def declaration(key: str, d: Json) -> type[Struct]:
        if "library" in d:
            module, _, name = d["library"].partition(":")
            if not module.startswith("locksim."):
                raise ValueError(f"{module} is not a module of the library")
            cls = getattr(importlib.import_module(module), name)
            if not (isinstance(cls, type) and issubclass(cls, Struct)):
                raise ValueError(f"{d['library']} is not a struct")
            return cls
        body: Json = {n: field(f) for n, f in d["fields"].items()}
        body |= {"METERED": dict(d["metered"]), "__module__": f"<{key}>"}
        body |= {"RECURSIVE": bool(d.get("recursive", 0))}
        return type(str(d["name"]), (_KINDS[d["kind"]],), body)

    def field(d: Json) -> Any:
        match d["is"]:
            case "pointer":
                made_pointer = pointer("?", padded=d["padded"])
                pointers.append((made_pointer, d["to"]))
                return made_pointer
            case "word":
                return word(d["init"], padded=d["padded"], plain=d.get("plain", False))
            case "param":
                return param(d["default"])
            case "part":
                return part(field(d["of"]), padded=d["padded"], align=d.get("align", 0))
            case "percpu":
                return percpu(field(d["of"]))
            case "pernode":
                return pernode(field(d["of"]))
            case "perthread":
                return perthread(field(d["of"]), **_alignment_of(d))
            case "array":
                return array(d["n"], field(d["of"]), padded=d["padded"], **_alignment_of(d))
            case "struct":
                cls = struct(d["struct"])
                if "params" not in d:
                    return cls
                return cls(**d["params"], **{n: field(p) for n, p in d["parts"].items()})
        raise ValueError(f"there is not a field {d['is']!r}")

    for key in table:
        struct(key)
    for one, key in pointers:
        one.to = struct(key)
    return made


def _method(m: MethodCode) -> Json:
    return {
        "name": m.name,
        "program": m.is_program,
        "arguments": list(m.arg_types),
        "returns": m.returns,
        "registers": list(m.registers),
        "line": m.line,
        "role": m.role,
        "file": m.file,
        "instrs": [[i.op, list(i.args), i.line, i.column, i.end_column] for i in m.instrs],
    }


def _read_method(m: Json) -> MethodCode:
    instrs = []
    for op, args, line, column, end in m["instrs"]:
        if op not in SIGNATURES or len(args) != len(SIGNATURES[op]):
            raise ValueError(f"{m['name']}() has no valid instruction {op!r}")
        instrs.append(Instr(op, tuple(args), int(line), int(column), int(end)))
    return MethodCode(
        m["name"],
        bool(m["program"]),
        tuple(m["arguments"]),
        m["returns"],
        len(m["registers"]),
        tuple(m["registers"]),
        tuple(instrs),
        int(m["line"]),
        m["role"],
        str(m["file"]),
    )

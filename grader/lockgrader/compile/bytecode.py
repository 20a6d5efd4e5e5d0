"""Bytecode from inside a sandbox: untrusted until every operand has been validated.

A student's code may have taken over the compiler inside, so nothing that it promises is believed.
The validator checks that

- the document has exactly the expected keys (:mod:`~lockgrader.compile.schema`);
- every name is an identifier of Python, in the form in which its parser gives it, not too long, and
  hides none of ours;
- structs do not contain each other in a cycle and stay small on the largest machine;
- every register, label, type, path and memory order exists;
- code does not run off its end;
- the marks that feed the meters are exactly where the compiler puts them.

A program that passes can still be wrong, slow or endless, and may fault. The engines and the
checker are made for that and run under a budget.

Three things are replaced instead of validated. The file name is replaced because messages would
open that file on *our* side to show a line; a method that is the library's, instruction by
instruction, keeps the library's file. The source text is the one that was submitted. A
``doorway()`` becomes a step to the next instruction: a student does not decide from where the
checker counts who overtakes a waiting thread.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import keyword
import linecache
import pkgutil
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from lockgrader.compile import schema as schema
from lockgrader.compile.size import check_sizes
from lockgrader.read.artefact import MalformedError
from locksim.compiler import compile_class
from locksim.compiler.diagnostics import CompileError
from locksim.compiler.ir import SIGNATURES, ClassCode
from locksim.compiler.portable import FormatError, codes_from_json, codes_to_json
from locksim.compiler.sources import KINDS, RESERVED
from locksim.lang.ops import Mark
from locksim.lang.struct import METERS, Lock, RWLock, Struct

__all__ = ["accept", "borrowed", "shown"]

MAX_CLASSES, MAX_METHODS, MAX_INSTRS, MAX_REGISTERS = 32, 256, 8000, 200
MAX_NAME, MAX_DOTS = 64, 8
_REGISTER = re.compile(r"r(0|[1-9][0-9]{0,2})")
_KINDS = {c.__name__: c for c in KINDS}
_TAKEN = RESERVED | {"_params", "_parts", "METERED", "FIELDS"}
_ORDERS = {"LOAD": (0, 1, 4), "STORE": (0, 2, 4)}
_DOORWAY = ["MARK", [int(Mark.DOORWAY), 0]]
_MOST = 1 << 63


def accept(document: Any, source: str, file: str) -> dict[str, ClassCode]:
    """The classes of a document, after every part of it has been validated.

    Arguments:
        document: what :func:`lockgrader.read.artefact.parse` gave.
        source: the text that was submitted. file: its name, for messages.

    Raises:
        MalformedError: the compiler could not have made this document.
    """
    try:
        read = schema.Document.model_validate_json(json.dumps(document))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise MalformedError(f"{where[:120]}: {first['msg'][:120]}") from None
    _check_structs(read)
    check_sizes(read, library())
    for name, made in read.classes.items():
        _check_class(name, made, read)
    title = shown(file, source)
    plain = read.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for made in plain["classes"].values():
        made["file"], made["source"] = title, source
        for method in made["methods"].values():
            method["file"] = _library_file(method) or title
            for k, instr in enumerate(method["instrs"]):
                if instr[:2] == _DOORWAY:
                    instr[:2] = ["JMP", [k + 1]]
    try:
        return codes_from_json(plain)
    except (FormatError, TypeError) as error:
        raise MalformedError(f"the classes cannot be built: {str(error)[:200]}") from error


def shown(file: str, source: str) -> str:
    """The name under which messages show lines of a submission, never of one of our files."""
    title = f"<{re.sub(r'[^A-Za-z0-9_.-]', '_', file)[:60]}>"
    linecache.cache[title] = (len(source), None, source.splitlines(keepends=True), title)
    return title


def borrowed(document: Any, title: str, allowed: tuple[str, ...] = ()) -> str:
    """The first thing that an accepted document takes from the library's locks; "" for none.

    This helps honest students, who might import a finished lock by accident. It is not a
    protection: the library's sources are public and can be copied.

    Arguments:
        document: as it came. title: the name that the submission was compiled under.
        allowed: modules of the library that may be used.
    """
    for struct in document["structs"].values():
        name = str(struct.get("library", ""))
        if name.startswith("locksim.library.") and name.partition(":")[0] not in allowed:
            return name.replace(":", ".")
    files = (title, *(f"{module.replace('.', '/')}.py" for module in allowed))
    for made in document["classes"].values():
        for method in made["methods"].values():
            # A base class of an allowed module has methods of its own.
            if not method["file"].endswith(files):
                return f"{made['struct']}.{method['name']}() of the library"
    return ""


@functools.cache
def library() -> dict[str, type[Struct]]:
    """The classes that a submission may name: those of the language and of the library."""
    found = {f"{c.__module__}:{c.__qualname__}": c for c in KINDS}
    for package in (f"locksim.library.{room}" for room in ("locks", "avc", "schedulers", "kernel")):
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            loaded = importlib.import_module(f"{package}.{module.name}")
            for thing in vars(loaded).values():
                if isinstance(thing, type) and issubclass(thing, Struct):
                    found[f"{thing.__module__}:{thing.__qualname__}"] = thing
    return found


def _library_file(method: dict[str, Any]) -> str:
    """The file of the library's method that a class has inherited; "" if it is not one."""
    name = Path(method["file"]).name
    for cls in library().values():
        if name in {Path(base.__module__.replace(".", "/")).name + ".py" for base in cls.__mro__}:
            with contextlib.suppress(CompileError):  # a base whose methods are to be written
                (ours,) = codes_to_json({"": compile_class(cls)})["classes"].values()
                one = ours["methods"].get(method["name"])
                if one and one["instrs"] == method["instrs"] and Path(one["file"]).name == name:
                    return str(one["file"])
    return ""


def _fail(where: str, what: str) -> None:
    raise MalformedError(f"{where[:120]}: {what}")


def _is_name(text: str) -> bool:
    """Whether a text is an identifier as Python's parser gives it, and not too long."""
    whole = len(text) <= MAX_NAME and text.isidentifier()
    return whole and unicodedata.is_normalized("NFKC", text)


def _are_names(text: str) -> bool:
    """The same for some names with dots between them."""
    names = text.split(".", MAX_DOTS + 1)
    return len(names) <= MAX_DOTS + 1 and all(map(_is_name, names))


def _check_name(name: str, where: str) -> None:
    if len(name) > MAX_NAME:
        _fail(where, f"the name {name[:40]!r}… has {len(name)} characters; at most {MAX_NAME}")
    if not _is_name(name) or name.startswith("__") or keyword.iskeyword(name):
        _fail(where, f"{name[:40]!r} is not a valid name")
    if name in _TAKEN:
        _fail(where, f"the name {name!r} is taken")


def _check_structs(document: schema.Document) -> None:
    if len(document.structs) > 4 * MAX_CLASSES or len(document.classes) > MAX_CLASSES:
        _fail("document", "too many classes")
    for key, struct in document.structs.items():
        if isinstance(struct, schema.Library):
            if struct.library not in library():
                _fail(key, f"{struct.library[:80]!r} is not a class of the library")
            continue
        _check_name(struct.name, f"struct {key}")
        if struct.kind not in _KINDS:
            _fail(key, f"there is no kind of struct {struct.kind[:40]!r}")
        kind = _KINDS[struct.kind]
        ours = kind.METERED.items() if issubclass(kind, Lock | RWLock) else ()
        if not {*ours} <= {*struct.metered.items()} or not {*struct.metered.values()} <= {*METERS}:
            _fail(key, f"the metered methods of a {struct.kind} differ from the language's")
        for name, field in struct.fields.items():
            where = f"{key}.{name}"
            _check_name(name, f"struct {key}")
            for described in schema.structs_of(field):
                if described.struct not in document.structs:
                    _fail(where, f"there is no struct {described.struct[:40]!r}")
                for setting in [*(described.params or ()), *(described.parts or ())]:
                    _check_name(setting, where)
            target = schema.pointed(field)
            if target is not None and target not in document.structs:
                _fail(where, f"there is no struct {target[:40]!r}")


def _check_class(name: str, made: schema.Class, document: schema.Document) -> None:
    if made.struct not in document.structs:
        _fail(name, f"there is no struct {made.struct[:40]!r}")
    struct = document.structs[made.struct]
    if isinstance(struct, schema.Library):
        _fail(name, "a submission must not define a class of the library")
        return
    if name != struct.name:
        _fail(name, f"the struct's name is {struct.name!r}")
    for kind, key in made.types.items():
        _check_name(kind, f"{name}: types")
        if key not in document.structs or kind in ("self", "word"):
            _fail(name, f"type {kind!r} is {key[:40]!r}, which does not exist")
    if len(made.methods) > MAX_METHODS:
        _fail(name, "too many methods")
    if sum(len(m.instrs) for m in made.methods.values()) > MAX_INSTRS:
        _fail(name, f"more than {MAX_INSTRS} instructions")
    for method_name, method in made.methods.items():
        above, _, plain = method_name.rpartition(".")  # "TicketLock.acquire": by super()
        for part in filter(None, (above, plain)):
            _check_name(part, name)
        where = f"{name}.{method_name}"
        if not plain or method.name != method_name or plain in struct.fields:
            _fail(where, f"the name {method.name[:40]!r} differs, or is already a field")
        if method.role != struct.metered.get(plain):
            _fail(where, "its role for the meters differs from the language's")
        _Method(where, method, made.types).check()


class _Method:
    """A method under validation."""

    def __init__(self, where: str, method: schema.Method, types: Iterable[str]) -> None:
        self.where, self.method, self.types = where, method, {*types}

    def fail(self, k: int, what: str) -> None:
        _fail(f"{self.where}, instruction {k}", what)

    def check(self) -> None:
        method = self.method
        if not 1 + len(method.arguments) <= len(method.registers) <= MAX_REGISTERS:
            _fail(self.where, f"{len(method.registers)} registers")
        for kind in (*method.arguments, method.returns):
            sort, _, rest = kind.removeprefix("ref:").partition(":")
            if not (sort == "int" and not rest) and not (sort == "ptr" and self._is_type(rest)):
                _fail(self.where, f"there is no type {kind[:40]!r}")
        if not method.instrs or method.instrs[-1][0] not in ("RET", "JMP"):
            _fail(self.where, "the code runs off its end")
        for k, (op, operands, *_) in enumerate(method.instrs):
            if op not in SIGNATURES or len(operands) != len(SIGNATURES[op]):
                self.fail(k, f"{op[:20]!r} with {len(operands)} operands is not an instruction")
            for role, operand in zip(SIGNATURES[op], operands, strict=True):
                if not self._is_operand(role, operand):
                    self.fail(
                        k, f"{op}: {str(operand)[:40]!r} is not an operand of this kind ({role})"
                    )
            self._check_whole(k, op, dict(zip(SIGNATURES[op], operands, strict=True)))
        self._check_marks()

    def _is_operand(self, role: str, operand: Any) -> bool:
        match role:
            case "d":
                return self._is_register(operand) and operand != "r0"
            case "a" | "base":
                return self._is_value(operand)
            case "args":
                return isinstance(operand, list) and all(map(self._is_value, operand))
            case "label":
                return _is_number(operand, 0, len(self.method.instrs) - 1)
            case "order":
                return _is_number(operand, 0, 4)
            case "mark":
                return _is_number(operand, min(Mark), max(Mark))
            case "type":
                return isinstance(operand, str) and (operand == "word" or self._is_type(operand))
            case "path":
                is_path = isinstance(operand, list) and len(operand) <= 8
                return is_path and all(isinstance(n, str) and _is_name(n) for n in operand)
            case "method":
                names = operand.split(".") if isinstance(operand, str) else []
                return 1 <= len(names) <= 2 and all(map(_is_name, names))
        return False

    def _is_register(self, operand: Any) -> bool:
        if not isinstance(operand, str) or not _REGISTER.fullmatch(operand):
            return False
        return int(operand[1:]) < len(self.method.registers)

    def _is_value(self, operand: Any) -> bool:
        if isinstance(operand, str):
            return self._is_register(operand) or (operand[:1] == "$" and _are_names(operand[1:]))
        return _is_number(operand, -_MOST, _MOST - 1)

    def _is_type(self, text: str) -> bool:
        first = text.partition(".")[0]
        return _are_names(text) and (first == "self" or first in self.types)

    def _check_whole(self, k: int, op: str, named: dict[str, Any]) -> None:
        """Check rules that join several operands of one instruction."""
        order, path, kind = named.get("order"), named.get("path"), named.get("type")
        if order is not None and order not in _ORDERS.get(op, (0, 1, 2, 3, 4)):
            self.fail(k, f"{op} has no order {order}")
        if path == [] and kind != "word" and op not in ("CALL", "ADDR"):
            self.fail(k, f"{op} names no field")
        if kind == "word" and (path or op in ("INDEX", "CALL", "ALLOC")):
            self.fail(k, f"{op} of a word")

    def _check_marks(self) -> None:
        """The meters must see every acquisition and release, and nothing else."""
        instrs = enumerate(self.method.instrs)
        marks = {k: tuple(i[1]) for k, i in instrs if i[0] == "MARK" and [*i[:2]] != _DOORWAY}
        wanted = {} if self.method.role is None else self._wanted_marks(self.method.role)
        for k in {*marks, *wanted}:
            if k not in wanted or k not in marks:
                self.fail(k, "a lock-event mark is missing or misplaced")
            what, subject = marks[k]
            if what not in wanted[k] or subject != "r0":
                self.fail(k, "a lock-event mark does not match the method's role")

    def _wanted_marks(self, role: str) -> dict[int, set[Mark]]:
        """Return the marks allowed at each instruction that must be one; check the jumps there."""
        instrs = self.method.instrs
        labels = [(SIGNATURES[op], args) for op, args, *_ in instrs if "label" in SIGNATURES[op]]
        targets = {args[signature.index("label")] for signature, args in labels}
        before, after, failed = METERS[role]
        if role.endswith("release"):
            if 0 in targets:
                _fail(self.where, "a jump repeats a lock-event mark")
            return {0: {after}}
        ends = [k for k, i in enumerate(instrs) if i[0] == "RET"]
        if targets & {*ends, 0}:
            _fail(self.where, "a jump skips a lock-event mark")
        return {0: {before or after}} | {k - 1: {after, failed or after} for k in ends}


def _is_number(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

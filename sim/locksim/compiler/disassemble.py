"""Bytecode as people read it: source lines, labels, and variables by their names."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from locksim.compiler.ir import SIGNATURES, ClassCode, Instr, MethodCode
from locksim.compiler.sources import PARSED, file_of
from locksim.lang.ops import Mark, Order

_SIGNS = {
    "ADD": "+",
    "SUB": "-",
    "MUL": "*",
    "FLOORDIV": "//",
    "MOD": "%",
    "AND": "&",
    "OR": "|",
    "XOR": "^",
    "SHL": "<<",
    "SHR": ">>",
    "EQ": "==",
    "NE": "!=",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
}
_UNARY = {"MOV": "", "NEG": "-", "INV": "~", "NOT": "not "}
_QUERIES = {
    "CPU": "cpu()",
    "THREAD": "thread()",
    "NODE": "node()",
    "NCPUS": "n_cpus()",
    "NTHREADS": "n_threads()",
    "NOW": "now()",
    "RANDOM": "random_below({})",
    "EXPONENTIAL": "random_exponential({})",
}


def disassemble(code: ClassCode, method: str | None = None) -> str:
    """A listing of a class's methods, or of one.

    Arguments:
        code: the class's bytecode.
        method: a method's name; all of them if it is None.

    Raises:
        KeyError: there is no such method.
    """
    methods = code.methods.values() if method is None else [code.methods[method]]
    return "\n\n".join(_listing(code, m) for m in methods)


def source_lines(code: ClassCode, method: str) -> list[str]:
    """The lines of the file that a method is written in (an inherited one's is its base's file).

    None where that file's text did not come with the bytecode.
    """
    if code.struct in PARSED or not code.struct.__module__.startswith("<"):
        found = file_of(code.struct, code.methods[method].file)
        if found is not None:
            return found.lines
    return code.source.splitlines() if code.methods[method].file == code.file else []


def _listing(code: ClassCode, method: MethodCode) -> str:
    lines = source_lines(code, method.name)
    names = _names(method)
    labels = _labels(method)
    arguments = ", ".join(names[f"r{i + 1}"] for i in range(len(method.arg_types)))
    kind = "program" if method.is_program else "helper"
    role = f", metered as {method.role}" if method.role else ""
    if method.file != code.file:
        role += f", from {PurePath(method.file).name}"
    shown = [
        f"{code.name}.{method.name}({arguments})  [{kind}{role}; "
        f"{len(method.instrs)} instructions, {method.n_registers} registers]"
    ]
    last = method.line
    for k, instr in enumerate(method.instrs):
        if instr.line != last and 0 < instr.line <= len(lines):
            shown.append(f"{instr.line:>5} | {lines[instr.line - 1].rstrip()}")
            last = instr.line
        if k in labels:
            shown.append(f"  {labels[k]}:")
        shown.append(f"{k:>9}  {_instruction(instr, names, labels)}")
    return "\n".join(shown)


def _names(method: MethodCode) -> dict[str, str]:
    return {f"r{i}": name or f"t{i}" for i, name in enumerate(method.registers)}


def _labels(method: MethodCode) -> dict[int, str]:
    targets = set()
    for instr in method.instrs:
        signature = SIGNATURES[instr.op]
        if "label" in signature:
            targets.add(int(instr.args[signature.index("label")]))
    return {index: f"L{n}" for n, index in enumerate(sorted(targets), start=1)}


def _instruction(instr: Instr, names: dict[str, str], labels: dict[int, str]) -> str:
    """``ticket = FETCH_ADD self.next_ticket, 1  (SEQ_CST)``."""
    op = instr.op
    signature = SIGNATURES[op]
    shown = [_operand(o, names) for o in instr.args]
    if op in _SIGNS:
        return f"{shown[0]} = {shown[1]} {_SIGNS[op]} {shown[2]}"
    if op in _UNARY:
        return f"{shown[0]} = {_UNARY[op]}{shown[1]}"
    if op in _QUERIES:
        return f"{shown[0]} = {_QUERIES[op].format(*shown[1:])}"
    if op == "JMP":
        return f"goto {labels[instr.args[0]]}"
    if "label" in signature:
        sign = {"JZ": "== 0", "JNZ": "!= 0"}.get(op) or f"{_SIGNS[op[1:]]} {shown[1]}"
        return f"if {shown[0]} {sign} goto {labels[instr.args[-1]]}"
    if op == "MARK":
        mark = Mark(instr.args[0])
        return f"MARK {mark.name}" + ("" if mark == Mark.DONE else f" {shown[1]}")
    return _general(instr, shown)


def _general(instr: Instr, shown: list[str]) -> str:
    """Everything with an address, an order or a call."""
    parts: dict[str, list[str]] = {}
    for role, text in zip(SIGNATURES[instr.op], shown, strict=True):
        parts.setdefault(role, []).append(text)
    values = parts.get("a", [])
    if "base" in parts:
        path = instr.args[SIGNATURES[instr.op].index("path")]
        base = parts["base"][0]
        place = ".".join([base, *path]) if parts["type"] != ["word"] else f"*{base}"
        if instr.op == "CALL":
            values = [f"{place}.{parts['method'][0]}({parts['args'][0]})"]
        elif instr.op == "INDEX":
            values = [f"{place}[{values[0]}]"]
        else:
            values = [place, *values]
    elif instr.op == "ALLOC":
        values = parts["type"]
    text = " ".join(part for part in (instr.op, ", ".join(values)) if part)
    if "order" in parts:
        order = instr.args[SIGNATURES[instr.op].index("order")]
        text += f"  ({Order(order).name})"
    return f"{parts['d'][0]} = {text}" if "d" in parts else text


def _operand(operand: Any, names: dict[str, str]) -> str:
    if isinstance(operand, list | tuple):
        return ", ".join(_operand(o, names) for o in operand)
    return names.get(operand, operand) if isinstance(operand, str) else str(operand)

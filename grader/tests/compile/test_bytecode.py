"""Hostile bytecode: what the compiler makes passes, whatever else comes is refused or harmless."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import locksim.library.locks
from lockgrader.compile.bytecode import accept
from lockgrader.read.artefact import MalformedError
from locksim.checker import check_lock
from locksim.checker.verdict import Budget
from locksim.compiler import compile_source
from locksim.compiler.portable import codes_to_json
from locksim.emit import emit
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.simulation import simulate

LOCKS = sorted(
    p for p in Path(locksim.library.locks.__path__[0]).glob("*.py") if p.name != "__init__.py"
)
MCS = (Path(locksim.library.locks.__path__[0]) / "mcs.py").read_text()


def compiled(text: str) -> dict[str, Any]:
    """A text's document as it leaves the sandbox."""
    document = codes_to_json(compile_source(text, "<submission>"))
    plain: dict[str, Any] = json.loads(json.dumps(document))
    return plain


MCS_DOCUMENT = compiled(MCS)


def mutated(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The document of the MCS lock after a change."""
    document = copy.deepcopy(MCS_DOCUMENT)
    change(document)
    return document


def method(document: dict[str, Any], name: str = "acquire") -> Any:
    """A method of the MCS lock."""
    return document["classes"]["MCSLock"]["methods"][name]


def fields(document: dict[str, Any]) -> Any:
    """The fields of the MCS lock."""
    return document["structs"]["MCSLock"]["fields"]


@pytest.mark.parametrize("path", LOCKS, ids=lambda p: p.stem)
def test_every_lock_of_the_library_passes(path: Path) -> None:
    """Nothing that the compiler makes is refused, and it comes through unchanged."""
    text = path.read_text()
    document = compiled(text)
    codes = accept(document, text, path.name)
    again = json.loads(json.dumps(codes_to_json(codes)))
    for name, made in document["classes"].items():
        for method_name, one in made["methods"].items():
            assert one["instrs"] == again["classes"][name]["methods"][method_name]["instrs"]


def test_an_inherited_method_is_in_the_librarys_file() -> None:
    """Where it is the library's to the last operand; a line of the submission is not named."""
    text = (
        "from locksim.library.locks.ticket import TicketLock\n\nclass Mine(TicketLock):\n    pass\n"
    )
    document = compiled(text)
    methods = accept(document, text, "l.py")["Mine"].methods
    assert ["ticket.py"] * len(methods) == [Path(one.file).name for one in methods.values()]
    document["classes"]["Mine"]["methods"]["acquire"]["instrs"][0][2] += 1
    assert "<l.py>" == accept(document, text, "l.py")["Mine"].methods["acquire"].file


INHERITS = """from locksim.lang import *

class Base(Lock):
    held = word()
    flags = array(4)

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)

class Derived(Base):
    def acquire(self):
        yield from super().acquire()
        for i in range(4):
            if i != cpu():
                yield from self.see(self.flags[i])

    def see(self, flag: word):
        yield flag.load(RELAXED)
"""


def test_methods_of_a_base_class_pass() -> None:
    """A submission may call ``super()``, count, and pass words; the bytecode keeps all of it."""
    document = compiled(INHERITS)
    codes = accept(document, INHERITS, "mine.py")
    assert {"acquire", "release", "see", "Base.acquire"} == set(codes["Derived"].methods)
    assert document["classes"]["Derived"]["methods"].keys() == codes["Derived"].methods.keys()


ABROAD = """from locksim.lang import *

class 鍵(Lock):
    \u9320 = word()
    \u05de\u05e0\u05e2\u05d5\u05dc\u0661 = percpu(word())
    \ufb01eld = word()
    ÅNGSTRÖM = param(3)

    def acquire(self):
        while (yield self.\u9320.swap(1, ACQUIRE)):
            yield from self.待つ(self.ÅNGSTRÖM)
        yield self.\u05de\u05e0\u05e2\u05d5\u05dc\u0661[cpu()].store(1, RELAXED)
        yield self.field.store(1, RELAXED)

    def 待つ(self, 回数):
        for _ in range(回数):
            yield pause()

    def release(self):
        yield self.\u9320.store(0, RELEASE)
"""


def test_names_in_any_script_pass() -> None:
    """What Python takes for a name is one: Japanese, Hebrew with an Arabic digit, ligatures."""
    codes = accept(compiled(ABROAD), ABROAD, "own.py")
    lock = codes["鍵"].struct
    assert {"\u9320", "\u05de\u05e0\u05e2\u05d5\u05dc\u0661", "field", "ÅNGSTRÖM"} == {*lock.FIELDS}
    assert "proven" == check_lock(lock, threads=2).verdict
    made = simulate(CriticalSection(lock=lock), cpus=3, operations=3, warmup=1, replications=1)
    assert 0 == made.violations()
    assert "_u9320" in emit(codes["鍵"]).text


HOSTILE: dict[str, Callable[[dict[str, Any]], object]] = {
    "another key": lambda d: d.update(points=10),
    "another format": lambda d: d.update(format=2),
    "register that is not there": lambda d: method(d)["instrs"][1].__setitem__(1, ["r99"]),
    "register written as text": lambda d: method(d)["instrs"][1].__setitem__(1, ["r01"]),
    "self overwritten": lambda d: method(d)["instrs"][1].__setitem__(1, ["r0"]),
    "jump outside": lambda d: method(d)["instrs"][5].__setitem__(1, ["r2", 999]),
    "jump before": lambda d: method(d)["instrs"][5].__setitem__(1, ["r2", -1]),
    "jump to a bool": lambda d: method(d)["instrs"][5].__setitem__(1, ["r2", True]),
    "code runs off": lambda d: method(d)["instrs"].pop(),
    "no code": lambda d: method(d)["instrs"].clear(),
    "unknown instruction": lambda d: method(d)["instrs"][1].__setitem__(0, "EXEC"),
    "too few operands": lambda d: method(d)["instrs"][1].__setitem__(1, []),
    "wide number": lambda d: method(d)["instrs"][3].__setitem__(
        1, ["r1", "self", ["tail"], 1 << 63, 0]
    ),
    "order of a store": lambda d: method(d)["instrs"][3][1].__setitem__(4, 1),
    "order that is none": lambda d: method(d)["instrs"][3][1].__setitem__(4, 7),
    "unknown type": lambda d: method(d)["instrs"][2][1].__setitem__(2, "Kernel"),
    "path without an end": lambda d: method(d)["instrs"][2][1].__setitem__(3, []),
    "no acquisition counted": lambda d: method(d)["instrs"].__setitem__(0, ["PAUSE", [], 1, 0, 0]),
    "done without work": lambda d: method(d)["instrs"].__setitem__(
        10, ["MARK", [9, "r0"], 1, 0, 0]
    ),
    "mark of another lock": lambda d: method(d)["instrs"][0].__setitem__(1, [1, "r1"]),
    "jump past the mark": lambda d: method(d)["instrs"][5].__setitem__(1, ["r2", 13]),
    "release counted twice": lambda d: method(d, "release")["instrs"][12].__setitem__(1, [0]),
    "no meters": lambda d: d["structs"]["MCSLock"].update(metered={}),
    "no role": lambda d: method(d).update(role=None),
    "many registers": lambda d: method(d).update(registers=["x"] * 1000),
    "name of ours": lambda d: fields(d).update(placed=fields(d)["tail"]),
    "dunder field": lambda d: fields(d).update(__class__=fields(d)["tail"]),
    "instance field": lambda d: fields(d).update(_params=fields(d)["tail"]),
    "letters that no parser gives": lambda d: fields(d).update({"\ufb01eld": fields(d)["tail"]}),
    "right-to-left mark": lambda d: fields(d).update({"t\u200f": fields(d)["tail"]}),
    "right-to-left override": lambda d: fields(d).update({"t\u202et": fields(d)["tail"]}),
    "no letter": lambda d: fields(d).update({"t\N{LOCK}": fields(d)["tail"]}),
    "markup": lambda d: fields(d).update({"<b>": fields(d)["tail"]}),
    "two words": lambda d: fields(d).update({"t t": fields(d)["tail"]}),
    "long field": lambda d: fields(d).update({"t" * 65: fields(d)["tail"]}),
    "path of no name": lambda d: method(d)["instrs"][2][1].__setitem__(3, ["tail\u200f"]),
    "type of many dots": lambda d: method(d)["instrs"][2][1].__setitem__(2, "self" + ".a" * 99),
    "foreign module": lambda d: d["structs"].update(X={"library": "os:system"}),
    "module of the grader": lambda d: d["structs"].update(X={"library": "lockgrader.grade:grade"}),
    "module of the library's inside": lambda d: d["structs"].update(
        X={"library": "locksim.engine.fast.engine:Session"}
    ),
    "unknown kind": lambda d: d["structs"]["MCSLock"].update(kind="object"),
    "struct in itself": lambda d: fields(d).update(
        inner={"is": "part", "of": {"is": "struct", "struct": "MCSLock"}, "padded": False}
    ),
    "array of a billion": lambda d: fields(d).update(
        big={"is": "array", "n": 10**9, "of": fields(d)["tail"], "padded": False}
    ),
    "array of arrays": lambda d: _nest(d, 6),
    "array of a param": lambda d: fields(d).update(
        n={"is": "param", "default": -5},
        big={"is": "array", "n": "n", "of": fields(d)["tail"], "padded": False},
    ),
    "pointer to nothing": lambda d: fields(d)["tail"].update(to="Nobody"),
    "class of the library": lambda d: d["structs"].update(
        MCSLock={"library": "locksim.library.locks.ticket:TicketLock"}
    ),
    "float": lambda d: method(d).update(line=1.5),
    "null": lambda d: method(d).update(instrs=None),
    "long name": lambda d: method(d).update(returns="x" * 100),
}


def _nest(document: dict[str, Any], levels: int) -> None:
    """Arrays of 100 of one another: a few lines of JSON, 100 to the power of ``levels`` words."""
    for i in range(levels):
        inner = {"is": "struct", "struct": f"S{i - 1}"} if i else fields(document)["tail"]
        document["structs"][f"S{i}"] = {
            "name": f"S{i}",
            "kind": "Struct",
            "metered": {},
            "fields": {"a": {"is": "array", "n": 100, "of": inner, "padded": False}},
        }


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytecode_is_refused(name: str) -> None:
    """Each of them, with a message."""
    with pytest.raises(MalformedError):
        accept(mutated(HOSTILE[name]), MCS, "mcs.py")


def test_no_file_of_ours_is_shown() -> None:
    """The file's name comes from the grader: a counterexample shows lines of the file it names."""

    def point_at_a_secret(document: dict[str, Any]) -> None:
        for made in document["classes"].values():
            made["file"] = "/etc/shadow"
            for one in made["methods"].values():
                one["file"] = "/etc/shadow"

    codes = accept(mutated(point_at_a_secret), MCS, "../../mcs.py")
    files = {m.file for c in codes.values() for m in c.methods.values()}
    assert {"<.._.._mcs.py>"} == files | {c.file for c in codes.values()}


JSON = (
    st.none()
    | st.booleans()
    | st.integers(-3, 40)
    | st.integers(-(2**64), 2**64)
    | st.sampled_from(
        [
            "r0",
            "r1",
            "r2",
            "r3",
            "self",
            "QNode",
            "word",
            "next",
            "tail",
            "nodes",
            "self.nodes",
            "$n",
        ]
        + [
            "JMP",
            "RET",
            "LOAD",
            "STORE",
            "FREE",
            "ALLOC",
            "INDEX",
            "ADDR",
            "CALL",
            "COMPUTE",
            "BLOCK",
        ]
        + ["WAKE", "RANDOM", "EXPONENTIAL", "SHL", "FLOORDIV", "acquire", "int", "ptr:QNode"]
    )
)


@given(st.data())
def test_mutated_bytecode_crashes_nothing(data: st.DataObject) -> None:
    """A document with a few values changed is refused, or checked and simulated like any other."""
    document = copy.deepcopy(MCS_DOCUMENT)
    methods = document["classes"]["MCSLock"]["methods"].values()
    instrs = [instr for one in methods for instr in one["instrs"]]
    for _ in range(data.draw(st.integers(1, 3))):
        _change(data.draw(st.sampled_from([document, *instrs])), data)
    try:
        codes = accept(document, MCS, "mcs.py")
    except MalformedError:
        return
    if "MCSLock" not in codes:
        return
    lock = codes["MCSLock"].struct
    try:
        check_lock(lock, threads=2, budget=Budget(2000, 1.0, 1 << 26))
        simulate(
            CriticalSection(lock=lock),
            cpus=3,
            operations=3,
            warmup=1,
            replications=1,
            longest_ps=10**8,
            heap_lines=64,
        )
    except Exception as error:
        if getattr(error, "exit_code", None) != 2:
            raise


def _change(at: Any, data: st.DataObject) -> None:
    """Put another value at a random place."""
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if isinstance(at[key], dict | list) and at[key] and data.draw(st.integers(0, 9)):
            at = at[key]
            continue
        at[key] = data.draw(JSON)
        return

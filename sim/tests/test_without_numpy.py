"""Language, compiler, memory, reference engine and checker do without numpy and its friends."""

import json
import os
import subprocess
import sys

import pytest

from locksim import machine
from locksim.checker import check_lock
from locksim.compiler import compile_source
from locksim.compiler.link import link
from locksim.core.memory import build
from locksim.engine.reference import engine as reference
from locksim.library.workloads.critical_section import CriticalSection

HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "numba", "pandas", "scipy"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
"""

LOCK = """
from locksim.lang import ACQUIRE, RELAXED, RELEASE, Lock, pause, word

class Mine(Lock):
    next_ticket = word()
    now_serving = word()

    def acquire(self):
        ticket = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.now_serving.load(ACQUIRE)) != ticket:
            yield pause()

    def release(self):
        served = yield self.now_serving.load(RELAXED)
        yield self.now_serving.store(served + 1, {order})
"""

FILE = "lock_without_numpy.py"
"""No other text has this name: a counterexample shows source lines by the name of their file."""

USES = """
import json
import sys

sys.path.insert(0, {tests!r})
from test_without_numpy import used

print(json.dumps(used()))
"""


def used():
    """What the core gives: a trace, and verdicts on a right and a wrong lock, as JSON has them."""
    struct = compile_source(LOCK.format(order="RELEASE"), FILE)["Mine"].struct
    tables = machine.load("desktop-4").tables(3)
    workload = CriticalSection(lock=struct)
    memory = build(workload, tables, [])
    image = link(workload, memory.space, tables.words_per_line)
    run = reference.run(memory, tables, seed=5, until_ps=3_000_000, trace=True)
    found = {"code": image.code, "trace": run.trace, "cpu": run.cpu, "locks": run.locks}
    for order in ("RELEASE", "RELAXED"):
        lock = compile_source(LOCK.format(order=order), FILE)["Mine"].struct
        for memory_model in ("sc", "tso", "c11"):
            verdict = check_lock(lock, threads=2, memory=memory_model).to_json()
            found[f"{order} {memory_model}"] = {**verdict, "seconds": 0}
    return json.loads(json.dumps(found))


def hidden(text, *arguments):
    """Run a text in an interpreter that has none of the four; its output."""
    command = [sys.executable, "-c", HIDE + text, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "" == done.stderr
    return done


def test_the_core_gives_the_same_without():
    """A lock from text is linked, simulated, proven and refuted, as with all of them there."""
    text = USES.format(tests=__file__.rpartition("/")[0])
    found = json.loads(hidden(text).stdout)
    verdicts = {key: found[key]["verdict"] for key in found if " " in key}
    right = {f"RELEASE {memory}": "proven" for memory in ("sc", "tso", "c11")}
    weak = {"RELAXED sc": "proven", "RELAXED tso": "proven", "RELAXED c11": "violated"}
    assert right | weak == verdicts
    assert found == used()


COMMAND = """
import sys

import locklab

sys.argv = ["locklab", *sys.argv[1:]]
sys.exit(locklab.main())
"""


@pytest.mark.covering("memory", every=3, first=2)
@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_locklab_check_works_without(memory):
    """The command proves a lock and says how many states there were."""
    done = hidden(COMMAND, "check", "mcs", "--threads", "2", "--memory", memory, "--json")
    found = json.loads(done.stdout)
    assert (0, "proven", memory) == (done.returncode, found["verdict"], found["memory"])


def test_locklab_check_refutes_without(tmp_path):
    """A file with a wrong lock: exit code 1 and the counterexample."""
    file = tmp_path / "mine.py"
    file.write_text(LOCK.format(order="RELAXED"), encoding="utf-8")
    done = hidden(COMMAND, "check", str(file), "--threads", "2", "--memory", "c11", "--json")
    found = json.loads(done.stdout)
    assert (1, "violated") == (done.returncode, found["verdict"])
    assert found["counterexample"]["steps"]


def test_the_fast_engine_runs_where_it_cannot_be_compiled():
    """A short run is simulated as plain Python."""
    command = [sys.executable, "-c", COMMAND, "run", "ticket", "--cpus", "2", "--operations", "9"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (0, "") == (done.returncode, done.stderr)
    assert "throughput" in done.stdout

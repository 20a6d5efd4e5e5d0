"""From C files to a program that explores itself.

Each file is preprocessed, compiled with ``-fsanitize=thread`` to assembly, and assembled. After the
first step the text is examined for what would escape the runtime. After the second each access
that the compiler has not announced is announced (:mod:`.announcements`). In its object file main,
malloc, pthread_create and the like get names of their own, which the runtime defines
(:mod:`.library`), and the statics sections of their own (:mod:`.sections`). Nothing of this changes
the C library or the runtime: only the program's own calls.
"""

from __future__ import annotations

import platform
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from locknative.compilation import toolchain
from locknative.errors import NativeError
from locknative.explorer.announcements import announced
from locknative.explorer.attributes import DROPPED, HARMLESS_ASSEMBLY, uses
from locknative.explorer.library import examine_names, renames
from locknative.explorer.machines import machine
from locknative.explorer.sections import rewrite_sections, sections_table

FLAGS = (
    *("-std=gnu11", "-O0", "-g", "-fsanitize=thread", "-fno-pie", "-fno-common", "-fno-lto"),
    *("-fno-stack-protector", "-fcf-protection=none", "-ftls-model=local-exec", "-fno-builtin"),
    *("-fsanitize=bounds", "-fsanitize-undefined-trap-on-error", "-Wuninitialized"),
    "-ftrivial-auto-var-init=pattern",
)
"""No optimisation: an access that the program makes is not left out because its value is unused. A
local variable without a value begins with a pattern."""

DESCRIBED = ("-dP",)
"""gcc writes what each instruction does, for announcements.py."""

VOLATILE_APART = ("--param", "tsan-distinguish-volatile=1")
"""gcc's way to announce volatile accesses by functions of their own."""

LOCKED = re.compile(r"\t(lock\b|mfence|lfence|sfence|xchg\w*\t.*\(|ldaxr|stlxr|dmb|dsb|syscall)")
"""Instructions that order or update memory: the compiler puts none in here."""

OTHER_LOCALS = re.compile(r"@(gottpoff|tlsgd|tlsld)|:tprel_|:tlsdesc")
"""Ways to a thread-local variable that have no rewriting."""


class Program:
    """A compiled program; a context manager, since it lies in a folder that is thrown away.

    Args:
        files: C files, compiled together.
        defines: macros, as ``NAME`` or ``NAME=TEXT``.
        includes: folders that are searched first.
        volatile_is_atomic: volatile accesses are relaxed atomic ones, not plain ones as in C11.

    Raises:
        NativeError: a file is missing, does not compile, or has what cannot be explored.
    """

    def __init__(
        self,
        files: Sequence[str | Path],
        defines: Sequence[str] = (),
        includes: Sequence[str | Path] = (),
        *,
        volatile_is_atomic: bool = False,
    ) -> None:
        self.files = [Path(file) for file in files]
        for file in self.files:
            if not file.is_file():
                raise NativeError(f"{file}: there is no such file; name C files")
        if not toolchain.is_gcc():
            raise NativeError(
                f"{toolchain.compiler()} is clang, and the explorer needs gcc, which describes "
                "each instruction that it makes: install gcc and set CC=gcc"
            )
        root = toolchain.sources()
        self._volatile_apart = volatile_is_atomic
        self._machine = machine(platform.machine())
        apart = VOLATILE_APART if volatile_is_atomic else ()
        self._flags = [*FLAGS, *DESCRIBED, *self._machine.options, *apart]
        self._macros = [
            *(f"-I{folder}" for folder in includes),
            *(f"-I{root / folder}" for folder in ("explorer/include", "include", ".")),
            *("-include", "locklab/explore.h"),
            *(f"-D{define}" for define in defines),
        ]
        self._folder = tempfile.TemporaryDirectory(prefix="locklab-")
        folder = Path(self._folder.name)
        try:
            objects = [self._object(file, i) for i, file in enumerate(self.files)]
            renamed = folder / "renamed"
            defined = set().union(*(one.defined for one in _names(objects)))
            renamed.write_text(renames(root / "explorer/doors.def", defined))
            for file, made in zip(self.files, objects, strict=True):
                _rename(file, made, renamed)
            names = _names(objects)
            defined = set().union(*(one.defined for one in names))
            self.idle_calls = sorted(
                name
                for file, one in zip(self.files, names, strict=True)
                for name in examine_names(one.undefined, defined, str(file))
            )
            objects += self._sections(objects)
            self.path = folder / "program"
            self._link(objects, defined)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Throw the compiled program away."""
        self._folder.cleanup()

    def _object(self, file: Path, number: int) -> Path:
        assembly = Path(self._folder.name, f"{number}.s")
        made, text = assembly.with_suffix(".o"), assembly.with_suffix(".i")
        command = [*self._flags, *self._macros, "-E", file, "-o", text]
        toolchain.compile_c(command, str(file))
        text.write_bytes(_without_promises(file, text.read_bytes()))
        warnings = toolchain.compile_c([*self._flags, "-S", text, "-o", assembly], str(file))
        said = assembly.read_text(errors="surrogateescape")
        _refuse_uninitialized(warnings, said)
        said = announced(said, str(file), self._machine, volatile_apart=self._volatile_apart)
        _look_through(file, said)
        if "@tpoff" in said or re.search(r"\.section\s+\.t(data|bss)", said):
            said = _with_own_locals(said)
        assembly.write_text(rewrite_sections(said), errors="surrogateescape")
        toolchain.compile_c(["-c", assembly, "-o", made], str(file))
        return made

    def _sections(self, objects: Sequence[Path]) -> list[Path]:
        """Compile the table of the program's own sections, if it has any."""
        texts = [made.with_suffix(".s").read_text(errors="surrogateescape") for made in objects]
        table = Path(self._folder.name, "sections.s")
        table.write_text(sections_table(texts), errors="surrogateescape")
        if not table.stat().st_size:
            return []
        toolchain.compile_c(["-c", table, "-o", table.with_suffix(".o")], "a table of sections")
        return [table.with_suffix(".o")]

    def _link(self, objects: Sequence[Path], defined: set[str]) -> None:
        names = ", ".join(map(str, self.files))
        if "program_main" in defined and "locklab_thread" in defined:
            raise NativeError(
                f"{names}: there is a main() and a locklab_thread(); write one of the two"
            )
        if not {"program_main", "locklab_thread"} & defined:
            raise NativeError(
                f"{names}: there is neither main() nor locklab_thread(int me): write what the "
                "threads shall do into one of them (locklab/explore.h)"
            )
        archive = toolchain.find_built("liblocklab-explorer.a")
        toolchain.compile_c(
            ["-no-pie", "-pthread", "-o", self.path, *objects, archive, "-lm"], names
        )


def _rename(file: Path, made: Path, renamed: Path) -> None:
    toolchain.run(
        [
            toolchain.tool("objcopy"),
            f"--redefine-syms={renamed}",
            *("--rename-section", ".data=program_data"),
            *("--rename-section", ".bss=program_bss"),
            made,
        ],
        str(file),
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """Names that an object offers to other files, and names of theirs that it uses."""

    defined: set[str]
    undefined: set[str]


def _names(objects: Sequence[Path]) -> list[_Names]:
    """The names of each object, by one call of nm."""
    said = toolchain.run([toolchain.tool("nm"), "-P", "-A", *objects], "the program").splitlines()
    found = []
    for made in objects:
        mine = [line.removeprefix(f"{made}: ") for line in said if line.startswith(f"{made}: ")]
        parts = [(words[0], words[1]) for line in mine if (words := line.split())]
        found.append(
            _Names(
                {name for name, kind in parts if kind.isupper() and kind != "U"},
                {name for name, kind in parts if kind in "Uvw"},
            )
        )
    return found


def _without_promises(file: Path, preprocessed: bytes) -> bytes:
    """Refuse attributes and pragmas that can hide accesses, and take out those of DROPPED."""
    text = preprocessed.decode(errors="surrogateescape")
    parts, at = [], 0
    for use in uses(text):
        if not use.harmless:
            raise NativeError(
                f"{use.file}:{use.line}: {use} can hide accesses from the explorer: leave it out"
            )
        if use.kind == "attribute" and use.name in DROPPED:
            parts += [text[at : use.start], re.sub(r"[^\n]", " ", text[use.start : use.end])]
            at = use.end
    return "".join([*parts, text[at:]]).encode(errors="surrogateescape")


def _refuse_uninitialized(warnings: str, assembly: str) -> None:
    """Refuse a local variable that is used without a value, in a function that can be called."""
    if "[-Wuninitialized]" not in warnings:
        return
    function, called = "", _called(assembly)
    for line in warnings.splitlines():
        if inside := re.search(r"[‘'](\w+)[’']:$", line):
            function = inside[1]
        elif "[-Wuninitialized]" in line and function in called:
            place, _, what = line.partition(": ")
            said = what.partition(": ")[2].removesuffix(" [-Wuninitialized]")
            raise NativeError(f"{place}: {said}: give the variable a value first")


def _called(assembly: str) -> set[str]:
    """Functions that other files can call, or that those refer to, or data."""
    parts = re.split(r"^(\w+):\n", assembly, flags=re.MULTILINE)
    bodies = dict(zip(parts[1::2], parts[2::2], strict=True))
    words = {
        name: set(re.findall(r"^\t[^.#\n][^#\n]*", body, re.M)) for name, body in bodies.items()
    }
    uses = {name: set(re.findall(r"\w+", " ".join(found))) for name, found in words.items()}
    called = set(re.findall(r"^\t\.(?:globl|weak|quad)\t(\w+)", assembly, re.MULTILINE))
    left = called & set(bodies)
    while left:
        name = left.pop()
        new = uses[name] & set(bodies) - called
        called |= new
        left |= new
    return called


def _look_through(file: Path, assembly: str) -> None:
    """Refuse what the runtime would not see."""
    place, inside = str(file), False
    files = dict(re.findall(r'\t\.file (\d+) "([^"]+)"', assembly))
    for line in assembly.splitlines():
        text = line.strip()
        if found := re.match(r"\.loc (\d+) (\d+)", text):
            name = Path(files.get(found[1], file.name)).name
            place = f"{file if name == file.name else name}:{found[2]}"
        if text in ("#APP", "//APP", "@APP"):
            inside = True
        elif text in ("#NO_APP", "//NO_APP", "@NO_APP"):
            inside = False
        elif inside and not HARMLESS_ASSEMBLY.fullmatch(text):
            raise NativeError(
                f"{place}: inline assembly ({text}) hides its accesses from the explorer: use C11 "
                "atomics, or __atomic builtins"
            )
        elif LOCKED.match(line):
            raise NativeError(
                f"{place}: the builtin that becomes '{text}' hides an access or a fence from the "
                "explorer: use C11 atomics, or __atomic builtins"
            )
        elif OTHER_LOCALS.search(text):
            raise NativeError(
                f"{file}: thread-local variables (_Thread_local, __thread) can be explored on "
                "x86-64 only: use an array with an element for each thread"
            )


def _with_own_locals(assembly: str) -> str:
    """Return assembly whose thread-local variables are those of a fiber (explorer/locals.c)."""
    for pattern, instead in (
        (r"\.section\s+\.t(?:data|bss)\b.*", '.section program_tls,"aw",@progbits'),
        (r"%fs:0\b", "%gs:locklab_tls_base"),
        (r"%fs:([^,\s]+)@tpoff", r"%gs:\1"),
        (r"@(?:dt)?tpoff|@dtpoff", ""),
        (r"@tls_object", "@object"),
    ):
        assembly = re.sub(pattern, instead, assembly)
    return assembly

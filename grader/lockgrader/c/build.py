"""Compile a C submission to checked objects, and link these to programs.

A submission is compiled once for each tool, with fixed options. It is compiled and linked in
sandboxes in which nothing of it runs, and the output is checked before it is used
(:mod:`.allowed`). The clients that it is linked with are ours and are compiled outside.
"""

from __future__ import annotations

import functools
import platform
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.util import Finalize
from pathlib import Path

from lockgrader.c.allowed import CALLS, examine_assembly, examine_object
from lockgrader.c.elf import read_object
from lockgrader.c.interfaces import COMMON, Interface
from lockgrader.c.source import examine, examine_preprocessed
from lockgrader.c.tools import ToolError, compiler, make, tool
from lockgrader.read.artefact import MalformedError
from lockgrader.read.refused import Refused
from lockgrader.sandbox import Profile, SandboxError
from locknative.compilation import toolchain
from locknative.errors import NativeError
from locknative.explorer import program as explorer
from locknative.explorer.announcements import announced
from locknative.explorer.library import renames
from locknative.explorer.machines import machine

__all__ = ["TOOLS", "Compiled", "Program", "compile_c", "link", "reference"]

FIXED = (
    *("-std=gnu11", "-fno-pie", "-fno-common", "-fno-lto", "-fno-ident", "-fno-builtin"),
    *("-fno-stack-protector", "-fcf-protection=none", "-fno-jump-tables"),
    *("-fno-optimize-sibling-calls", "-fmax-include-depth=20", "-fdiagnostics-color=never"),
    *("-fno-diagnostics-show-caret", "-Werror=implicit-function-declaration"),
    *("-Werror=incompatible-pointer-types", "-Werror=int-conversion", "-Werror=return-type"),
    *("-Werror=vla", "-Werror=trampolines"),
)
"""The compiler's options for every submission. The last line refuses code that would move the
stack's end, or run on it."""
COUNTED = "-fsanitize-coverage=trace-pc"
"""Each stretch of code calls :data:`COUNT`, so that what never ends is found without a clock."""
COUNT = frozenset({"__sanitizer_cov_trace_pc"})
CONFINED = (
    *("-O1", "-g1", "-fsanitize=thread,bounds-strict,object-size", "-fno-omit-frame-pointer"),
    *("-fsanitize-undefined-trap-on-error", COUNTED),
)
"""For the explorer: every access is announced, except to a local variable; bounds checks keep a
write to one inside it. The explorer adds what the compiler leaves out, such as a struct that a
function returns or takes."""
ANNOUNCEMENT = "locklab_announce_"
"""How the functions begin that it calls for that; a submission may use none."""
CLIENT = ("-std=gnu11", "-fno-pie", "-fno-lto", "-O2")


@dataclass(frozen=True)
class Tool:
    """A tool that judges.

    Arguments:
        options: for the submission. names: names that only its object may call. client: options for
            our own files beside it. sources: of the client. libraries: for the linker.
    """

    options: tuple[str, ...]
    names: frozenset[str]
    client: tuple[str, ...]
    sources: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    instrumented: bool = True


def _tsan_names() -> frozenset[str]:
    """The names that -fsanitize=thread adds to a program, as the explorer lists them."""
    doors = (toolchain.sources() / "explorer/doors.def").read_text()
    names = [line[5:-1] for line in doors.splitlines() if line.startswith("TSAN(")]
    more = ("init", "func_entry", "func_exit", "atomic_signal_fence")
    announce = [f"{ANNOUNCEMENT}{does}_range" for does in ("read", "write")]
    return frozenset([*(f"__tsan_{name}" for name in [*names, *more]), *announce])


def _asan_names() -> frozenset[str]:
    sizes = ("1", "2", "4", "8", "16", "_n")
    reports = {f"__asan_report_{kind}{size}" for kind in ("load", "store") for size in sizes}
    more = ("init", "version_mismatch_check_v8", "register_globals", "unregister_globals")
    stack = {f"__asan_stack_{x}_{n}" for x in ("malloc", "free") for n in range(11)}
    return frozenset(
        {*reports, *stack, *(f"__asan_{name}" for name in more)}
        | {"__asan_handle_no_return", "__asan_option_detect_stack_use_after_return"}
        | {f"__asan_set_shadow_{x}" for x in ("00", "f1", "f2", "f3", "f5", "f8")}
    )


def _ubsan_names() -> frozenset[str]:
    kinds = (
        *("add_overflow", "sub_overflow", "mul_overflow", "negate_overflow", "divrem_overflow"),
        *("shift_out_of_bounds", "out_of_bounds", "type_mismatch_v1", "pointer_overflow"),
        *("load_invalid_value", "vla_bound_not_positive", "invalid_builtin", "nonnull_arg"),
        *("nonnull_return_v1", "alignment_assumption", "float_cast_overflow"),
    )
    return frozenset(f"__ubsan_handle_{k}{end}" for k in kinds for end in ("", "_abort")) | {
        "__ubsan_handle_builtin_unreachable",
        "__ubsan_handle_missing_return",
    }


_TURNS = ("turns.c", "rcu_turns.c")
TOOLS = {
    "validate": Tool(("-O2", COUNTED), COUNT, (), _TURNS, instrumented=False),
    "torture": Tool(
        ("-O2", COUNTED), COUNT, (), ("torture.c",), ("-lurcu-memb", "-lurcu-common"), False
    ),
    "asan": Tool(
        ("-O1", "-g1", "-fsanitize=address", COUNTED),
        _asan_names() | COUNT,
        ("-fsanitize=address",),
        _TURNS,
    ),
    "tsan": Tool(
        ("-O1", "-g1", "-fsanitize=thread", COUNTED),
        _tsan_names() | COUNT,
        ("-fsanitize=thread",),
        _TURNS,
    ),
    "ubsan": Tool(
        ("-O1", "-g1", "-fsanitize=undefined", "-fno-sanitize-recover=all", COUNTED),
        _ubsan_names() | COUNT,
        ("-fsanitize=undefined", "-fno-sanitize-recover=all"),
        _TURNS,
    ),
    "explorer": Tool(
        CONFINED,
        _tsan_names() | COUNT,
        ("-fsanitize=thread",),
        ("explored.c",),
    ),
}
"""The tools that judge a submission. Those with turns.c link canary.c beside it."""


@dataclass(frozen=True)
class Compiled:
    """A submission, compiled for some tools.

    Arguments:
        file: its name. interface: which it implements. objects: tool → object file.
        functions: offsets of functions in submission_text of the explorer's object.
        source: the lines of the file and of the explorer's client, for counterexamples.
    """

    file: str
    interface: Interface
    objects: dict[str, bytes]
    functions: tuple[int, ...] = ()
    source: dict[str, list[str]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Program:
    """A linked program.

    Arguments:
        data: the executable. lines: objdump's table of lines. symbols: nm's table.
    """

    data: bytes
    lines: str = field(default="", repr=False)
    symbols: str = field(default="", repr=False)


def compile_c(
    data: bytes, file: str, interface: Interface, tools: Iterable[str], profile: Profile
) -> Compiled:
    """Compile a submission for some tools, and check the output.

    Arguments:
        data: the file's content. file: its name. tools: of :data:`TOOLS`.

    Raises:
        Refused: with the verdict. SandboxError: no sandbox, or no compiler in it.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused("ungradable", f"{file} is not valid UTF-8") from error
    examine(text, file, (interface.header,))
    wanted = sorted(set(tools))
    compile_all = [_compile(file, name) for name in wanted]
    assemble_all = [_assemble(name) for name in wanted if name != "explorer"]
    commands = [command for part in (*compile_all, *assemble_all) for command in part]
    keep = [f"{name}.{end}" for name in wanted for end in ("i", "s")]
    keep += [f"{name}.o" for name in wanted if name != "explorer"]
    given = {
        "/job/include": toolchain.sources() / "explorer/include",
        "/job/interface": interface.folder,
        "/job/renamed": _renames(),
    }
    try:
        made = make(file, {file: text}, commands, keep, given, profile)
    except ToolError as error:
        raise Refused("student_error", f"{file} does not compile:\n{error}") from error
    functions: list[int] = []
    objects: dict[str, bytes] = {}
    try:
        for name in wanted:
            about = TOOLS[name]
            assembly = made.files[f"{name}.s"].decode("ascii", errors="replace")
            examine_preprocessed(made.files[f"{name}.i"].decode(errors="surrogateescape"), file)
            examine_assembly(assembly, file)
            objects[name] = (
                _announced_object(assembly, file, given, profile)
                if name == "explorer"
                else made.files[f"{name}.o"]
            )
            read = read_object(objects[name])
            examine_object(
                read,
                file,
                interface.exports,
                about.names | interface.calls | (_renamed_calls() if name == "explorer" else CALLS),
                instrumented=about.instrumented,
            )
            functions += read.functions("submission_text")
    except MalformedError as error:
        raise Refused("malformed_output", f"the compiler's output for {file}: {error}") from error
    ours = interface.folder / "explored.c"
    source = {ours.name: ours.read_text().splitlines(), file: text.split("\n")}
    return Compiled(file, interface, objects, tuple(functions), source)


def link(
    compiled: Compiled, name: str, variants: Sequence[tuple[str, ...]], profile: Profile
) -> list[Program]:
    """Link a submission's object with variants of a tool's client, in one sandbox.

    Arguments:
        name: the tool. variants: macros for the client, one set for each program.

    Raises:
        Refused: the linker refuses it. SandboxError: no sandbox, or one of our clients does
            not compile.
    """
    about = TOOLS[name]
    clients = [_client(compiled.interface, name, defines) for defines in variants]
    read = {f"/job/client{i}": folder for i, (folder, _) in enumerate(clients)}
    libraries = [*about.client, *about.libraries, "-pthread"]
    if name == "explorer":
        read["/job/explorer.a"] = _runtime()
        libraries = ["/job/explorer.a", "-pthread", "-lm"]
    with tempfile.TemporaryDirectory(prefix="locklab-") as folder:
        handed = Path(folder, "submission.o")
        handed.write_bytes(compiled.objects[name])
        handed.chmod(0o644)
        Path(folder).chmod(0o755)
        commands = []
        for i, (_, objects) in enumerate(clients):
            ours = [f"/job/client{i}/{one}" for one in objects]
            link = [compiler(), "-no-pie", "-o", f"program{i}", "/job/submission.o", *ours]
            commands.append([*link, *libraries])
            if name == "explorer":
                commands.append([tool("objdump"), "--dwarf=decodedline", f"program{i}"])
                commands.append([tool("nm"), "-n", "-S", f"program{i}"])
        try:
            made = make(
                compiled.file,
                {},
                commands,
                [f"program{i}" for i in range(len(clients))],
                {"/job/submission.o": handed, **read},
                profile,
            )
        except ToolError as error:
            raise Refused("student_error", f"{compiled.file} cannot be linked:\n{error}") from error
    programs = [made.files[f"program{i}"] for i in range(len(clients))]
    if name != "explorer":
        return [Program(data) for data in programs]
    return [
        Program(data, made.said[3 * i + 1], made.said[3 * i + 2]) for i, data in enumerate(programs)
    ]


def _compile(file: str, name: str) -> list[list[str]]:
    """The commands from source to assembly; for the explorer with what each instruction does."""
    includes = ["-I/job/include", "-I/job/interface"]
    options = [*FIXED, *TOOLS[name].options]
    if name == "explorer":
        options += [*explorer.DESCRIBED, *machine(platform.machine()).options]
    return [
        [compiler(), *options, *includes, "-E", file, "-o", f"{name}.i"],
        [compiler(), *options, "-S", f"{name}.i", "-o", f"{name}.s"],
    ]


def _assemble(name: str) -> list[list[str]]:
    """The commands from assembly to object, with names changed for the explorer."""
    commands = [[compiler(), "-c", f"{name}.s", "-o", f"{name}.o"]]
    if name == "explorer":
        commands.append([tool("objcopy"), *_renaming("/job/renamed", "submission"), f"{name}.o"])
    return commands


def _announced_object(
    assembly: str, file: str, given: Mapping[str, Path], profile: Profile
) -> bytes:
    """The explorer's object, in which each access is announced.

    Raises:
        Refused: an access cannot be announced, or the submission makes an announcement itself.
    """
    if ANNOUNCEMENT in assembly:
        raise Refused("forbidden_operation", f"{file} uses {ANNOUNCEMENT}*, the explorer's names")
    try:
        text = announced(assembly, file, machine(platform.machine()), volatile_apart=False)
    except NativeError as error:
        raise Refused("student_error", str(error)) from error
    name = "explorer"
    made = make(file, {f"{name}.s": text}, _assemble(name), [f"{name}.o"], given, profile)
    return made.files[f"{name}.o"]


def _renaming(names: str, whose: str) -> list[str]:
    """Options for objcopy: the explorer's names, and sections named after their owner."""
    sections = [f".{name}={whose}_{name}" for name in ("text", "data", "bss")]
    return [f"--redefine-syms={names}", *(f"--rename-section={one}" for one in sections)]


@functools.cache
def _renamed_calls() -> frozenset[str]:
    """The allowed calls under the names by which the explorer replaces them."""
    pairs = dict(line.split() for line in _renames().read_text().splitlines())
    return frozenset(pairs.get(name, name) for name in CALLS)


@functools.cache
def _folder() -> Path:
    """Where this process and its children keep our compiled clients."""
    made = Path(tempfile.mkdtemp(prefix="locklab-clients-"))
    made.chmod(0o755)
    # Runs also when a worker of a batch ends, unlike atexit; never in a forked child.
    Finalize(None, shutil.rmtree, (made,), {"ignore_errors": True}, exitpriority=1)
    return made


@functools.cache
def _renames() -> Path:
    path = _folder() / "renamed"
    path.write_text(renames(toolchain.sources() / "explorer/doors.def"))
    path.chmod(0o644)
    return path


def _runtime() -> Path:
    try:
        return toolchain.find_built("liblocklab-explorer.a")
    except NativeError as error:
        raise SandboxError(str(error)) from error


@functools.cache
def _client(
    interface: Interface, name: str, defines: tuple[str, ...]
) -> tuple[Path, tuple[str, ...]]:
    """A folder with a tool's client, compiled, and the names of its objects."""
    about, root = TOOLS[name], toolchain.sources()
    folder = Path(tempfile.mkdtemp(dir=_folder()))
    folder.chmod(0o755)
    sources = [*about.sources, *(["canary.c"] if "turns.c" in about.sources else [])]
    objects = []
    for source in sources:
        made = folder / f"{source}.o"
        options: list[str | Path] = [*CLIENT, f"-I{interface.folder}", f"-I{COMMON}"]
        options += [f"-D{define}" for define in defines]
        if name == "explorer":
            options += [
                *explorer.FLAGS,
                "-fno-omit-frame-pointer",
                f"-I{root / 'explorer/include'}",
            ]
            options += ["-include", "locklab/explore.h"]
        elif source == "canary.c":
            options += about.client
        try:
            toolchain.compile_c([*options, "-c", interface.source(source), "-o", made], source)
            if name == "explorer":
                toolchain.run(
                    [tool("objcopy"), *_renaming(str(_renames()), "program"), made], source
                )
        except NativeError as error:
            raise SandboxError(f"one of our clients does not compile: {error}") from error
        made.chmod(0o644)
        objects.append(made.name)
    return folder, tuple(objects)


def reference(interface: Interface, name: str, profile: Profile) -> Compiled:
    """Our own simple implementation of an interface, compiled like a submission."""
    text = (interface.folder / "reference.c").read_bytes()
    return compile_c(text, "reference.c", interface, (name,), profile)

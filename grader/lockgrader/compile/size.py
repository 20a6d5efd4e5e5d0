"""An upper bound on the memory of a document's structs, found without building any of them.

The bound is not the layout: every field is counted as if it began a cache line. Twenty nested
arrays fit on a page of JSON and could ask for any amount of memory. Structs that contain themselves
are refused.
"""

from __future__ import annotations

from lockgrader.compile import schema as schema
from lockgrader.read.artefact import MalformedError
from locksim.lang.layout import Space
from locksim.lang.struct import Struct

__all__ = ["MAX_WORDS", "check_sizes"]

MAX_WORDS = 1 << 20
WORDS_PER_LINE, N_CPUS = 16, 1024
"""Of the largest machine that anything is graded on."""


def check_sizes(document: schema.Document, library: dict[str, type[Struct]]) -> None:
    """Refuse structs that contain themselves, or that are larger than :data:`MAX_WORDS`.

    Raises:
        MalformedError: there is such a struct.
    """
    sizes = _Sizes(document, library)
    for key in document.structs:
        sizes.of(schema.Described.model_validate({"is": "struct", "struct": key}), ())


class _Sizes:
    def __init__(self, document: schema.Document, library: dict[str, type[Struct]]) -> None:
        self.document, self.library = document, library
        self.space = Space(WORDS_PER_LINE, N_CPUS, n_nodes=N_CPUS)
        self.known: dict[str, int] = {}

    def of(self, described: schema.Described, path: tuple[str, ...]) -> int:
        """Words of a described struct; ``path`` holds the structs that contain it."""
        key = described.struct
        if key in path or len(path) > 16:
            raise MalformedError(f"struct {key!r} contains itself, or is nested too deeply")
        plain = not described.params and not described.parts
        if plain and key in self.known:
            return self.known[key]
        struct = self.document.structs[key]
        if isinstance(struct, schema.Library):
            size = self._library(struct, described)
        else:
            size = self._declared(struct, described, (*path, key))
        if size > MAX_WORDS:
            raise MalformedError(f"struct {key!r} takes {size} words; at most {MAX_WORDS}")
        if plain:
            self.known[key] = size
        return size

    def _library(self, struct: schema.Library, described: schema.Described) -> int:
        """A struct of the library has its own layout; its settings are checked by the library."""
        if described.parts:
            raise MalformedError(f"{struct.library!r} cannot take parts of other classes")
        cls = self.library[struct.library]
        try:
            for name, value in (described.params or {}).items():
                if not 0 <= value <= MAX_WORDS:
                    raise MalformedError(f"{struct.library}({name}={value})")
            cls(**(described.params or {}))
        except TypeError as error:
            raise MalformedError(f"{struct.library!r}: {error}") from error
        most = max([1, *(described.params or {}).values()])
        return most * self.space.layout(cls()).size

    def _declared(
        self, struct: schema.Declaration, described: schema.Described, path: tuple[str, ...]
    ) -> int:
        params = {n: f.default for n, f in struct.fields.items() if isinstance(f, schema.Param)}
        params |= described.params or {}
        parts = described.parts or {}
        total = 0
        for name, field in struct.fields.items():
            match field:
                case schema.Param():
                    continue
                case schema.Word() | schema.Pointer():
                    total += WORDS_PER_LINE
                case schema.Part():
                    total += _lines(self.of(parts.get(name, field.of), path))
                case schema.Array():
                    count = field.n if isinstance(field.n, int) else params.get(field.n, 0)
                    if not 1 <= count <= schema.MAX_ELEMENTS:
                        raise MalformedError(f"{struct.name}.{name} has {count} elements")
                    total += count * self._element(parts.get(name, field.of), path)
                case schema.PerCpu() | schema.PerNode() | schema.PerThread():  # no more of either
                    total += N_CPUS * self._element(parts.get(name, field.of), path)
        return max(1, total)

    def _element(
        self, of: schema.Word | schema.Pointer | schema.Described, path: tuple[str, ...]
    ) -> int:
        if isinstance(of, schema.Described):
            return _lines(self.of(of, path))
        return WORDS_PER_LINE


def _lines(words: int) -> int:
    return -(-words // WORDS_PER_LINE) * WORDS_PER_LINE

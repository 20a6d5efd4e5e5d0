"""Write the table of docs/use/urcu.md: what Python has of liburcu's API, by the installed headers.

    python native/urcu/coverage.py            # print the table
    python native/urcu/coverage.py --write    # put it into docs/use/urcu.md

Every function that the headers declare must be in coverage.toml, which says what became of it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/use/urcu.md"
BEGIN, END = "<!-- coverage: begin -->\n", "<!-- coverage: end -->\n"
FLAVOURS = ("memb", "mb", "qsbr", "bp")


def headers() -> Path:
    """Return the folder that holds liburcu's ``urcu`` folder.

    Raises:
        SystemExit: liburcu is not installed.
    """
    command = ["pkg-config", "--variable=includedir", "liburcu"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    for folder in (Path(found), *Path(found).glob("*-linux-*")):
        if (folder / "urcu/rculfhash.h").is_file():
            return folder / "urcu"
    sys.exit("liburcu's headers are not installed: install liburcu-dev (userspace-rcu-devel)")


def flavour_names(folder: Path) -> set[str]:
    """Return what each flavour has, without the names that older programs use."""
    names = set()
    for flavour in FLAVOURS:
        text = (folder / f"map/urcu-{flavour}.h").read_text()
        names |= set(re.findall(rf"#define\s+(\w+)\s+urcu_{flavour}_\w+", text))
    old = re.compile(rf".*_({'|'.join(FLAVOURS)})|rcu_({'|'.join(FLAVOURS)})_.*")
    return {name for name in names if not old.fullmatch(name)}


def header_names(folder: Path, header: str) -> set[str]:
    """Return the functions of a header; of bp's, those that not every flavour has."""
    common = flavour_names(folder)
    if header == "urcu.h":
        return common
    names = declared_names(folder / header)
    return {name for name in names if re.sub("^urcu_bp_", "rcu_", name) not in common} - {
        "urcu_bp_synchronize_rcu"
    }


def declared_names(header: Path) -> set[str]:
    """Return the functions that a header declares, and macros with arguments of rcu_ names."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
    macros = set(re.findall(r"#\s*define\s+((?:rcu|cds)_\w+)\(", text))
    text = re.sub(r"^\s*#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r'extern "C" \{', "", text)
    while (without := re.sub(r"\{[^{}]*\}", ";", text)) != text:  # bodies, from the inside
        text = without
    statements = (re.sub(r"__attribute__\s*\(\(.*?\)\)", "", each) for each in text.split(";"))
    found = (
        re.search(r"\b((?:__|_)?(?:cds|rcu|urcu)_\w+)\s*\(", each)
        for each in statements
        if "typedef" not in each
    )
    return macros | {match[1] for match in found if match}


def table() -> str:
    """Return the table in Markdown.

    Raises:
        ValueError: a function or header is not in coverage.toml, or is there but not declared.
    """
    folder = headers()
    known = tomllib.loads((HERE / "coverage.toml").read_text())
    present = {path.name for path in folder.glob("*.h")}
    unknown = present - set(known["headers"]) - set(known["left_out"])
    if unknown:
        raise ValueError(f"coverage.toml does not list these headers: {sorted(unknown)}")
    lines = ["| header | liburcu | Python |", "|---|---|---|"]
    for header, entries in known["headers"].items():
        names = header_names(folder, header)
        entries = {name: what for what, group in entries.items() for name in group.split()}
        if names != set(entries):
            raise ValueError(
                f"coverage.toml and {header} differ: not classified "
                f"{sorted(names - set(entries))}, not declared {sorted(set(entries) - names)}"
            )
        for what in dict.fromkeys(entries.values()):
            functions = ", ".join(f"`{name}`" for name in entries if entries[name] == what)
            lines.append(f"| {header} | {functions} | {what} |")
    for header, why in known["left_out"].items():
        if header in present:
            lines.append(f"| {header} | all | {why} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the table, or put it into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--write", action="store_true", help="put it into docs/use/urcu.md")
    try:
        text = table()
    except ValueError as error:
        sys.exit(str(error))
    if parser.parse_args().write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(before + BEGIN + text + END + rest.partition(END)[2])
    else:
        print(text, end="")


if __name__ == "__main__":
    main()

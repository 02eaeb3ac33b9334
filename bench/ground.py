"""What benchmarks share: arguments, and what each prints before its figures."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console

from bench.plain import DATA, data_folder

WIDTH = 180
PACKAGES = ("msgspec", "splintr-rs")


def arguments(doc: str | None, *, data: bool = False) -> argparse.ArgumentParser:
    """Return a parser that shows the module's text, and reads DATA if the benchmark needs it."""
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if data:
        parser.add_argument(
            "data",
            nargs="?",
            type=data_folder,
            default=data_folder(),
            help=f"folder of *.jsonl.gz; else STENO_DATA, else {DATA}",
        )
    return parser


def wide() -> Console:
    """Return a console that does not squeeze tables if it is no terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDTH)


def tell(console: Console, data: str, packages: Iterable[str] = ()) -> None:
    """Print the command, data, machine and versions."""
    command = " ".join(sys.argv)
    console.print(f"[bold]command[/]  {command}", highlight=False)
    console.print(f"[bold]data[/]     {data}", highlight=False)
    console.print(
        f"[bold]machine[/]  {_cpu()}, {os.cpu_count()} cores, {platform.machine()}", highlight=False
    )
    found = ", ".join(f"{name} {_version(name)}" for name in (*PACKAGES, *packages))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    console.print(f"[bold]python[/]   {python}; {found}", highlight=False)


def verdict(console: Console, missed: list[str]) -> int:
    """Print which targets were missed, and return the exit code."""
    for target in missed:
        console.print(f"[bold red]missed[/]  {target}", highlight=False)
    if not missed:
        console.print("[bold green]every target is met[/]")
    return 1 if missed else 0


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def _cpu() -> str:
    """Return the processor's name as Linux or Python gives it."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    named = (line.partition(":") for line in lines)
    fields = {name.strip(): value.strip() for name, _, value in named}
    if "model name" in fields:
        return fields["model name"]
    if "CPU part" in fields:
        return f"ARM part {fields['CPU part']} of implementer {fields.get('CPU implementer', '?')}"
    return platform.processor() or "unknown processor"

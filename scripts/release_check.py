"""Check a release: versions agree, it builds, and the wheel does what the README says.

    python scripts/release_check.py [--python PATH …]     with what constraints/release.txt names

Builds `dist/` (sdist, and the wheel from the sdist), installs the wheel alone into an empty
environment, and runs there the README, the tutorial and the examples that need no key. Commands
that name an extra run in a second environment, which has all extras, installed by name. That one
is also listed in `dist/sbom.json`. `uvx` and `pipx run` start the wheel without an installation.
With `--python`, other interpreters get the first part as well.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
NAME = "stenolog"
PAGES = ("README.md", "docs/tutorial.md")
EXAMPLES = (("whole_idea.py",), ("memory_backend.py",), ("batch.py", ".", "--window", "8000"))
NOT_FOR_USERS = {"test", "dev", "bench", "docs"}
"""Extras for work on Steno."""
NOT_WITH_ALL = {"local", "vectors"}
"""Extras of large packages; `make test-local-model` and the tests of recall use them."""
SNIPPET = re.compile(r"```python\n(.*?)```", re.S)
COMMAND = re.compile(r"^\$ (steno .*?)(?:\s+#.*)?$", re.M)
NEEDS_EXTRA = re.compile(r"pip install '" + NAME + r"\[")
HEADING = re.compile(r"^## (\d\S*)( \(unreleased\))?$", re.M)
SAMPLE = """
import json
with open("session.jsonl", "w") as file:
    file.writelines(json.dumps(message) + "\\n" for message in messages)
"""
"""What is added to the README's first snippet: its messages are the session of the commands."""
CLAUDE = "#!/bin/sh\ncase $ANTHROPIC_BASE_URL in http://127.0.0.1:*) exit 0;; esac; exit 1\n"
"""Stands for the agent that `steno wrap claude` starts: fails without the proxy's address."""


class Failed(Exception):
    """Something that must not be released."""


class Environment:
    """A virtual environment, and a folder to work in."""

    def __init__(self, folder: Path, python: str = "") -> None:
        if python:
            subprocess.run([python, "-m", "venv", str(folder)], check=True)
        else:
            venv.create(folder, with_pip=True)
        self.bin = folder / "bin"
        self.work = folder / "work"
        self.work.mkdir()
        claude = self.bin / "claude"
        claude.write_text(CLAUDE)
        claude.chmod(0o755)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in its folder, without anything of the clone."""
        kept = {name: os.environ[name] for name in os.environ if not name.startswith("PYTHON")}
        path = f"{self.bin}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = kept | {"PATH": path, "HOME": str(self.work), "COLUMNS": "200"}
        # uv trusts its own list of certificates otherwise, and a mirror may have another.
        environment["UV_SYSTEM_CERTS"] = "1"
        program = str(self.bin / words[0])
        return subprocess.run(
            [program, *words[1:]], cwd=self.work, env=environment, capture_output=True, text=True
        )

    def must(self, *words: str) -> str:
        """Run a program and return what it prints; raise if it fails."""
        ran = self.run(*words)
        if ran.returncode:
            raise Failed(f"{' '.join(words)[:200]}\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
        return ran.stdout

    def install(self, wanted: str) -> None:
        # The command itself must not come from a registry, whatever is there under the name.
        self.must("pip", "install", "--quiet", "--find-links", str(DIST), wanted)


def check_versions() -> str:
    """Return the version that package and changelog agree on."""
    source = (ROOT / "src" / "steno" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', source, re.M)
    heading = HEADING.search((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    if found is None or heading is None or found[1] != heading[1]:
        raise Failed("the newest version of CHANGELOG.md is not steno.__version__")
    if heading[2]:
        say(f"CHANGELOG.md calls {found[1]} unreleased: remove that on the day")
    return found[1]


def build() -> Path:
    """Build sdist and wheel, and return the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(ROOT)]
    built = subprocess.run(words, capture_output=True, text=True)
    if built.returncode:
        raise Failed(built.stdout + built.stderr)
    (wheel,) = DIST.glob("*.whl")
    return wheel


def check_image(folder: Path) -> None:
    """Build a wheel from what the image copies, as its first stage does; no daemon is needed."""
    copies = re.findall(r"^COPY (.+) \S+$", (ROOT / "Dockerfile").read_text("utf-8"), re.M)
    allowed = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.M)
    folder.mkdir()
    for name in " ".join(copies).split():
        if name not in allowed:
            raise Failed(f".dockerignore leaves out {name}, which the Dockerfile copies")
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy(ROOT / name, folder)
    words = [sys.executable, "-m", "build", "--wheel", "--no-isolation", str(folder)]
    built = subprocess.run(words, capture_output=True, text=True)
    if built.returncode:
        raise Failed(f"the image does not build:\n{built.stdout[-1000:]}{built.stderr[-1000:]}")
    say("a wheel can be built from what the image copies")


def check_wheel(wheel: Path, version: str) -> None:
    """Check what is in the wheel, and what its metadata say."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        said = Parser().parsestr(archive.read(metadata).decode())
    if (said["Name"], said["Version"]) != (NAME, version):
        raise Failed(f"the wheel is {said['Name']} {said['Version']}")
    if not wheel.name.endswith("-py3-none-any.whl"):
        raise Failed(f"{wheel.name} needs a compiler or one platform")
    for needed in ("steno/py.typed", "steno/cli/demo/story.jsonl", "licenses/LICENSE"):
        if not any(name.endswith(needed) for name in names):
            raise Failed(f"the wheel has no {needed}")
    outside = {name.partition("/")[0] for name in names} - {"steno"}
    if any(not name.endswith(".dist-info") for name in outside):
        raise Failed(f"the wheel installs {sorted(outside)}")


def extras() -> Iterator[str]:
    """Yield the extras that users can name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    yield from sorted(project["optional-dependencies"].keys() - NOT_FOR_USERS)


def run_pages(alone: Environment, full: Environment | None) -> int:
    """Run snippets and commands of the pages; return how many ran."""
    count = 0
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        snippets = SNIPPET.findall(text)
        if page == PAGES[0]:
            snippets[0] += SAMPLE
        (alone.work / "page.py").write_text("\n".join(snippets), encoding="utf-8")
        alone.must("python", "page.py")
        count += len(snippets)
        for command in COMMAND.findall(text):
            count += run_command(command, alone, full)
        for made in {*alone.work.iterdir()} - {alone.work / "session.jsonl"}:
            if made.is_file():
                made.unlink()
    return count


def run_command(command: str, alone: Environment, full: Environment | None) -> int:
    """Run a command of a page; one that asks for an extra runs where all are installed."""
    ran = alone.run("/bin/sh", "-c", command)
    if ran.returncode and NEEDS_EXTRA.search(ran.stderr):
        if full is None:
            return 0
        ran = full.run("/bin/sh", "-c", command)
    if ran.returncode:
        raise Failed(f"{command}\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
    return 1


def check_in(folder: Path, python: str, full: Environment | None) -> None:
    """Install the wheel alone and run what needs nothing else."""
    alone = Environment(folder, python)
    alone.install(NAME)
    version = alone.must("steno", "--version").strip()
    ran = run_pages(alone, full)
    for name, *words in EXAMPLES:
        alone.must("python", str(ROOT / "examples" / name), *words)
    spoken = alone.must("python", "--version").strip()
    say(f"{version} alone in {spoken}: {ran} snippets and commands, {len(EXAMPLES)} examples")


def check_extras(folder: Path, wheel: Path) -> Environment:
    """Install all extras by name, check their licences, and write the bill of materials."""
    full = Environment(folder)
    wanted = [name for name in extras() if name not in NOT_WITH_ALL]
    full.must("pip", "install", "--quiet", str(wheel))
    full.must("pip", "install", "--quiet", f"{NAME}[{','.join(wanted)}]")
    full.must("pip", "check")
    full.must("python", str(ROOT / "scripts" / "licences.py"), "--check")
    bill = full.must("python", str(ROOT / "scripts" / "licences.py"), "--sbom")
    (DIST / "sbom.json").write_text(bill, encoding="utf-8")
    say(f"extras by name: {', '.join(wanted)}; dist/sbom.json lists {bill.count('purl')} packages")
    return full


def check_runners(folder: Path, wheel: Path) -> None:
    """Run the README's line for `uvx`, and the same by `pipx run`."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"`(uvx .+?)`", readme)
    runner = Environment(folder)
    (runner.work / "dist").symlink_to(DIST)
    for command in (line, f"pipx run --spec '{wheel}[proxy]' {NAME} wrap claude"):
        runner.must("/bin/sh", "-c", command)
    say("uvx and pipx run start it from dist/")


def say(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", default=[], help="another interpreter")
    pythons = parser.parse_args().python
    try:
        version = check_versions()
        wheel = build()
        check_wheel(wheel, version)
        say(f"built {wheel.name} ({wheel.stat().st_size // 1000} kB) and its sdist")
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            check_image(folder / "image")
            full = check_extras(folder / "full", wheel)
            check_runners(folder / "runner", wheel)
            check_in(folder / "alone", "", full)
            for number, python in enumerate(pythons):
                check_in(folder / str(number), python, None)
    except Failed as failure:
        print(f"not fit for a release: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What other libraries' compactions keep of the demo's session, beside ours.

    python -m bench peers                                 those that are installed here
    python -m bench peers --policy none,sliding,langchain,default --window 16k
    python -m bench peers --install openhands,strands     an environment for each, in .venv/peers

The session is the one that `steno demo` plays; `python -m bench replay DATA --policy …` takes the
same names for recorded ones. bench/outside.py says how a library is run: by its own rule, with a
stub where it asks a model for a summary, so a real model may do better or worse.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
import weakref
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from rich.table import Table

from bench.ground import arguments, wide
from steno.cli.demo.story import story
from steno.cli.options import parse_size
from steno.core.message import Message
from steno.lab.baselines import KeepEverything
from steno.lab.bill import ReplaySetting
from steno.lab.policies import BASELINES, policy_names
from steno.lab.recorded import RecordedSession
from steno.lab.request import ReplayPart, ReplayRequest
from steno.lab.run import score_session
from steno.lab.score import Score
from steno.lab.uses import Measure
from steno.providers import decode_messages, encode_messages, get_wire

ROOT = Path(__file__).parent.parent
ENVIRONMENTS = ROOT / ".venv" / "peers"
LOCKS = ROOT / "constraints" / "peers"
WINDOW = 16_000
OURS = ("none", "sliding", "masking", "default", "thrifty")
"""Policies that are always here."""
SHOWN: tuple[Measure, ...] = ("typed", "names", "reads")
PACKAGES = {
    "agent_framework": "agent-framework-core",
    "cliff": "cliffcompaction",
    "headroom": "headroom-ai",
    "langchain": "langchain",
    "openhands": "openhands-sdk",
    "pydantic_ai": "pydantic-ai-harness",
    "strands": "strands-agents",
    "strands_sliding": "strands-agents",
}
"""Policies of other libraries, and the package that each needs."""
OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONDONTWRITEBYTECODE": ""}
WIRE = get_wire("openai")


def python_of(name: str) -> str | None:
    """Return the interpreter that has a library: of its environment, or this one."""
    own = ENVIRONMENTS / name.removesuffix("_sliding") / "bin" / "python"
    if own.exists():
        return str(own)
    if name in ("cliff", "langchain") and find_spec(PACKAGES[name]):
        return sys.executable
    return None


def version_of(name: str) -> str:
    """Return the version of a library, as its environment has it; nothing for our policies."""
    python = python_of(name) if name in PACKAGES else None
    if python is None:
        return ""
    asks = f"import importlib.metadata as m; print(m.version({PACKAGES[name]!r}))"
    return subprocess.check_output([python, "-c", asks], text=True).strip()


def install(name: str) -> None:
    """Make the environment of a library, with the versions of its lock."""
    lock = LOCKS / f"{name}.txt"
    folder = ENVIRONMENTS / name
    wanted = lock.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# python ")
    if wanted != ".".join(map(str, sys.version_info[:2])):
        subprocess.run([f"python{wanted}", "-m", "venv", str(folder)], check=True)
    else:
        venv.create(folder, with_pip=True)
    # The lock is complete; its packages need not agree with each other's metadata.
    pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--no-deps", "-r", str(lock)]
    subprocess.run(pip, check=True)


class Outside(KeepEverything):
    """Asks a library in a process of its own what it would send."""

    def __init__(self, window: int, name: str) -> None:
        super().__init__(window)
        python = python_of(name)
        if python is None:
            sys.exit(f"{name} is not installed here: python -m bench peers --install {name}")
        self._complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115 — lives with the process
        self._process = subprocess.Popen(
            [python, str(Path(__file__).with_name("outside.py")), name, str(window)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            text=True,
            env=os.environ | OFFLINE,
        )
        weakref.finalize(self, _end, self._process, self._complaints)
        self._new: list[dict[str, Any]] = []
        self._given: list[ReplayPart] = []
        """The part of each message that was sent to the library, by its number."""
        self._made: dict[str, ReplayPart] = {}
        self._shown: list[Any] = []

    def add(self, message: Message) -> None:
        super().add(message)
        # Without the provider's own JSON, which would be passed on as it is.
        for encoded in encode_messages(WIRE, [Message(message.role, message.blocks)]):
            self._new.append(encoded)
            self._given.append(self.parts[-1])

    def request(self) -> ReplayRequest:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(self._new), file=self._process.stdin, flush=True)
        self._new.clear()
        answer = self._process.stdout.readline()
        if not answer:
            self._complaints.seek(0)
            raise ChildProcessError(self._complaints.read()[-2_000:])
        shown = json.loads(answer)
        self.commits += shown[: len(self._shown)] != self._shown
        self._shown = shown
        parts: list[ReplayPart] = []
        for entry in shown:
            part = self._given[entry] if isinstance(entry, int) else self._part(entry)
            # A message may be encoded as several.
            if not parts or parts[-1] is not part:
                parts.append(part)
        return ReplayRequest(tuple(parts))

    def _part(self, entry: dict[str, Any]) -> ReplayPart:
        """Return the part of a message that the library made or changed."""
        key = json.dumps(entry)
        if key not in self._made:
            (message,) = decode_messages(WIRE, [entry])
            self._made[key] = ReplayPart.of(message, summary=entry["role"] == "user")
        return self._made[key]


def _end(process: subprocess.Popen[str], complaints: IO[str]) -> None:
    """End a library's process, and close what leads to it."""
    process.kill()
    process.communicate()
    complaints.close()


def _start(recorded: RecordedSession, setting: ReplaySetting, name: str) -> Outside:
    return Outside(setting.window, name)


def add_policies() -> None:
    """Let a replay find the libraries by their names, in this process."""
    for name in PACKAGES:
        BASELINES[name] = partial(_start, name=name)


def installed() -> list[str]:
    """Return the policies that can be run here."""
    return [*OURS, *(name for name in PACKAGES if python_of(name))]


def demo_session() -> RecordedSession:
    """Return the session of `steno demo`."""
    messages = tuple(decode_messages(get_wire("anthropic"), story()))
    return RecordedSession("demo", messages, wire="anthropic")


def compare(policies: Sequence[str], window: int = WINDOW) -> list[Score]:
    """Replay the demo's session under each policy."""
    add_policies()
    return score_session(demo_session(), policies, ReplaySetting(window=window))


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--policy", default=",".join(installed()), help="policies, with commas")
    parser.add_argument("--window", type=parse_size, default=WINDOW)
    parser.add_argument("--install", metavar="NAMES", help="make environments, then stop")
    asked = parser.parse_args()
    if asked.install:
        for name in asked.install.split(","):
            install(name)
        return 0
    add_policies()
    table = Table("policy", "version", "largest", "over", "sent", *SHOWN, "lost")
    for score in compare(policy_names(asked.policy.split(",")), asked.window):
        name, *figures = row_of(score)
        table.add_row(name, version_of(name), *figures)
    wide().print(table)
    missing = [name for name in PACKAGES if python_of(name) is None]
    if missing:
        wide().print(f"not installed here, see --install: {', '.join(missing)}")
    return 0


def row_of(score: Score) -> tuple[str, ...]:
    """Return a policy's figures as the table and the README show them."""
    uses = score.all_uses
    return (
        score.policy,
        f"{score.peak:,}",
        str(score.over),
        f"{score.sent:,}",
        *(percent(score.tally(measure).share) for measure in SHOWN),
        percent(uses.lost / uses.all),
    )


def percent(share: float | None) -> str:
    if share is None:
        return "–"
    return f"{share:.0%}".replace("%", " %")


if __name__ == "__main__":
    raise SystemExit(main())

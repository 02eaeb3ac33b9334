"""A state that a snapshot holds changes only with the number of its format.

A later version goes on from what this one folded. If it would fold something else, the number
in the state's `stored_as` must be raised, or old sessions would mix both.
`snapshot_formats.json` has a hash of each state, by its name and number. After raising a number:

    python -m tests.session.test_snapshot_formats
"""

from __future__ import annotations

import json
import re
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

import steno
from steno import Session
from steno.core.tape import Tape, stored_name
from steno.facts.ledger import Ledger
from steno.summary.story import fold_story
from steno.summary.worth import fold_rarity
from tests.support.golden_sessions import conversation
from tests.support.word_meter import WORDS

GOLDEN = Path(__file__).parent / "snapshot_formats.json"
WIRES = ("anthropic", "openai")
MARKED = re.compile(r'@stored_as\("([^"]+)"')


@cache
def states(wire: str) -> dict[str, Any]:
    """Return the states of a session that was compacted, by their names."""
    session = Session(wire=wire, window=2_500, meter=WORDS)
    for message in conversation(wire, 7, 40):
        session.add(message)
        session.messages()
    assert len(session.log.commits) > 1
    view = session.view
    # What only some policies ask for.
    ledger = Ledger.of(view.messages)
    assert ledger.decisions is not None and ledger.chosen is not None
    view.messages.fold(fold_rarity)
    view.messages.fold(fold_story)
    found: dict[str, Any] = {}
    collect(view.messages, found)
    return found


def collect(tape: Tape[Any], found: dict[str, Any]) -> None:
    """Add the states of a tape's folds, and those of tapes within them."""
    known, _ = tape.folds_so_far()
    for fold, made in known.items():
        name = stored_name(fold)
        assert name, f"{fold} has no `stored_as`: each process would fold it again"
        found[name] = made

        def look_within(value: object) -> object:
            if isinstance(value, Tape):
                collect(value, found)
            return plain(value)

        msgspec.msgpack.encode(made, enc_hook=look_within)


def plain(value: object) -> object:
    if isinstance(value, Tape):
        return list(value)
    raise NotImplementedError(type(value))


def hash_state(state: Any) -> str:
    encoded = msgspec.msgpack.encode(state, enc_hook=plain)
    return blake2b(encoded, digest_size=8).hexdigest()


def hashes() -> dict[str, str]:
    return {
        f"{wire}: {name}": hash_state(state)
        for wire in WIRES
        for name, state in sorted(states(wire).items())
    }


def test_a_state_changes_only_with_the_number_of_its_format() -> None:
    golden, now = json.loads(GOLDEN.read_text(encoding="utf-8")), hashes()
    changed = [name for name in now if golden.get(name, now[name]) != now[name]]
    assert not changed, f"raise the number of these in `stored_as`: {changed}"
    assert golden.keys() == now.keys(), "run: python -m tests.session.test_snapshot_formats"


def test_every_stored_state_is_compared() -> None:
    sources = Path(steno.__file__).parent.rglob("*.py")
    marked = {name for path in sources for name in MARKED.findall(path.read_text("utf-8"))}
    compared = {name.rpartition(" ")[0] for name in states("openai")}
    assert len(marked) > 1
    assert marked <= compared


if __name__ == "__main__":
    before = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    # What a number stands for is never written again: another state needs another number.
    written = {name: before.get(name, hash) for name, hash in hashes().items()}
    GOLDEN.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")

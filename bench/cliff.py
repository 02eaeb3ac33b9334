"""CliffCompaction as a policy of the replay: the real package, with its own rule and its own store.

    pip install --no-deps cliffcompaction==0.1.0
    python -m bench replay DATA --window 32k --policy cliff,thrifty,default

It compacts where a request passes 85 % of the window, as the other baselines do.
"""

from __future__ import annotations

from typing import Any

from steno.core.message import Message
from steno.lab.baselines import SOFT, KeepEverything
from steno.lab.policies import BASELINES
from steno.lab.request import ReplayPart, ReplayRequest
from steno.providers import decode_messages, encode_messages, get_wire

NAME = "cliff"
WIRE = get_wire("openai")


class Cliff(KeepEverything):
    """Sends whole lists through the package's engine, as its proxy does."""

    def __init__(self, window: int) -> None:
        super().__init__(window)
        from cliffcompaction.config import Config
        from cliffcompaction.dialects.openai_chat import DIALECT
        from cliffcompaction.engine import Engine

        self._engine = Engine(Config(threshold_tokens=int(window * SOFT)))
        self._dialect = DIALECT
        self._sent: list[dict[str, Any]] = []
        self._parts_of: dict[int, tuple[dict[str, Any], ReplayPart]] = {}
        """By the identity of an encoded message, which is held so that it stays its own."""

    def add(self, message: Message) -> None:
        super().add(message)
        for encoded in encode_messages(WIRE, [message]):
            self._sent.append(encoded)
            self._parts_of[id(encoded)] = (encoded, self.parts[-1])

    def request(self) -> ReplayRequest:
        shown = self._engine.prepare({"messages": list(self._sent)}, self._dialect)
        self.commits += shown.compacted
        parts: list[ReplayPart] = []
        for encoded in shown.substituted:
            if id(encoded) not in self._parts_of:
                (summary,) = decode_messages(WIRE, [encoded])
                self._parts_of[id(encoded)] = (encoded, ReplayPart.of(summary, summary=True))
            part = self._parts_of[id(encoded)][1]
            # A message may be encoded as several.
            if not parts or parts[-1] is not part:
                parts.append(part)
        return ReplayRequest(tuple(parts))


BASELINES[NAME] = lambda recorded, setting: Cliff(setting.window)

"""Rate texts by how little a small local model expects their words: a scorer for a policy.

    steno.rungs.register_surprisal(Surprisal("SmolLM2.gguf"))
    policy = steno.Policy(ladder=(Summarize(scorer="surprisal"), Truncate()))

The model runs in this process by llama.cpp (`pip install 'stenolog[local]'`). It does not tell
the likelihood of a prompt's own words, so a few places of a text are asked for what comes next.
What this buys and costs is in `docs/internals/benchmarks.md`; the default scorer costs nothing.
"""

from __future__ import annotations

import math
import os
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

from steno import BadInput

WINDOW = 1_024
"""Tokens of the model's context."""
TEXT_MOST = 1_200
"""Characters of a text that are read: its beginning."""
LIKELIEST = 64
"""Words that the model names for a place; a word that is not among them is as rare as the last."""
SCORES_MOST = 20_000
"""Texts whose scores are remembered: a message is rated at every compaction."""
_WORD = re.compile(r"\s*\S+")


class Surprisal:
    """Rates a text by the mean surprisal of a few of its words, in bits."""

    def __init__(self, path: str | os.PathLike[str], *, samples: int = 6) -> None:
        file = Path(path)
        if not file.is_file():
            raise BadInput(f"there is no model file at {file}")
        self._server = _start_server(file)
        self._samples = samples
        self._score = lru_cache(maxsize=SCORES_MOST)(self._measure)

    def __call__(self, text: str) -> float:
        """Return the bits that one word of the text says, on average; 0 for a text of one word."""
        return self._score(text[:TEXT_MOST])

    def _measure(self, text: str) -> float:
        words = _WORD.findall(text)
        places = range(1, len(words))
        if not places:
            return 0.0
        step = max(1, len(places) // self._samples)
        # In order: the server has the beginning of the next prompt in its cache.
        bits = [self._bits("".join(words[:at]), words[at]) for at in places[::step]]
        return sum(bits) / len(bits)

    def _bits(self, before: str, word: str) -> float:
        """Return how little the model expects a word after these."""
        asked = {"prompt": before, "n_predict": 1, "logprobs": LIKELIEST, "cache_prompt": True}
        reply: Any = self._server.handle_completions(asked)
        named = reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        # A word may be several tokens: the first of them is what the model had to expect.
        begins = [
            each["logprob"] for each in named if each["token"] and word.startswith(each["token"])
        ]
        expected = max(begins, default=named[-1]["logprob"])
        return -float(expected) / math.log(2)


def _start_server(file: Path) -> Any:
    import xllamacpp as llama  # here: a file that is not there needs no package to be refused

    params = llama.CommonParams()
    params.model.path = str(file)
    params.n_ctx, params.n_parallel = WINDOW, 1
    params.hostnames, params.port = ["127.0.0.1"], 0
    # Others may share the machine: no call without this key is taken.
    params.api_keys = [os.urandom(16).hex()]
    params.warmup, params.verbosity = False, -1
    try:
        return llama.Server(params)
    except RuntimeError:
        raise BadInput(
            f"{file} cannot be loaded: it is no GGUF model, or there is too little memory for it"
        ) from None


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python surprisal.py MODEL.gguf TEXT …")
    rate = Surprisal(sys.argv[1])
    for text in sys.argv[2:]:
        print(f"{rate(text):5.2f} bits a word: {text}")

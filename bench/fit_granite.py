"""Make the changes to Granite's weights that `steno.recall.embedders.granite` adds.

    pip install torch==2.13.0 'steno[vectors]'
    python bench/fit_granite.py OUT.npz [--epochs N]

`bench/labels/recall_items.jsonl` holds questions, the turns that answer them in other words, and
turns that look alike and do not. The last two layers learn, by narrow matrices beside their own, to
put a question nearer to its answers than to all other turns at hand. Every sixth question is held
out, and is looked up among all turns after each epoch. What was learned counts for 0.4: whole, it
overdoes it, and finds less of what shares words with its question. 30 minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from steno.recall.embedders import granite
from steno.recall.vectors import _sentences as sentences

ITEMS = Path(__file__).parent / "labels" / "recall_items.jsonl"
FIRST, LAST = 4, 5
"""The layers that learn."""
RANK, RATE, BATCH, SHARPNESS = 16, 1.5e-3, 48, 25.0
COUNTS_FOR = 0.4
PARTS = ("qkv", "ao", "f1", "f2")
Item = dict[str, Any]


class Changes(nn.Module):
    """Narrow matrices beside the weights of the layers that learn."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.weights = weights
        self.narrow = nn.ParameterDict()
        for layer in (FIRST, LAST):
            for part in PARTS:
                wide, long = weights[f"l{layer}.{part}.w"].shape
                start = torch.randn(RANK, long) / math.sqrt(long)
                self.narrow[f"l{layer}_{part}_a"] = nn.Parameter(start)
                self.narrow[f"l{layer}_{part}_b"] = nn.Parameter(torch.zeros(wide, RANK))

    def linear(self, states: Tensor, layer: int, part: str) -> Tensor:
        name = f"l{layer}.{part}"
        out = functional.linear(states, self.weights[f"{name}.w"], self.weights[f"{name}.b"])
        if layer < FIRST:
            return out
        down = functional.linear(states, self.narrow[f"l{layer}_{part}_a"])
        return out + functional.linear(down, self.narrow[f"l{layer}_{part}_b"])

    def save(self, path: Path) -> None:
        halves = {}
        for name, value in self.narrow.items():
            layer, part, side = name.split("_")
            share = COUNTS_FOR if side == "b" else 1.0
            halves[f"{layer}.{part}.w.{side}"] = (share * value.detach().numpy()).astype("float16")
        np.savez_compressed(path, **halves)


class Model:
    """Granite, whose first layers are read once for each text."""

    def __init__(self) -> None:
        data = granite._read_and_check(granite._find_pack(), granite.SHA256)
        header, tokenizer, tensors = granite._read_pack(data)
        self.arch = header["arch"]
        named = {name: granite._tensor(np, *each) for name, each in tensors.items()}
        self.weights = {name: torch.tensor(np.array(each)) for name, each in named.items()}
        self.changes = Changes(self.weights)
        vocabulary = tokenizer["model"]
        self.tokens = granite.BytePairs(vocabulary["vocab"], vocabulary["merges"])
        self.states: dict[str, Tensor] = {}

    def normal(self, states: Tensor, name: str) -> Tensor:
        weight, bias = self.weights[f"{name}.w"], self.weights[f"{name}.b"]
        return functional.layer_norm(
            states, (states.shape[-1],), weight, bias, self.arch["layer_norm_eps"]
        )

    def layer(self, states: Tensor, mask: Tensor, layer: int) -> Tensor:
        texts, longest, size = states.shape
        parts = self.changes.linear(states, layer, "qkv")
        parts = parts.view(texts, longest, 3, self.arch["heads"], -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts
        if layer == LAST:
            query, states = query[:, :, :1], states[:, :1]
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        seen = seen.transpose(1, 2).reshape(texts, -1, size)
        states = self.normal(states + self.changes.linear(seen, layer, "ao"), f"l{layer}.aln")
        inner = functional.gelu(self.changes.linear(states, layer, "f1"))
        return self.normal(states + self.changes.linear(inner, layer, "f2"), f"l{layer}.fln")

    @torch.no_grad()
    def read(self, texts: Sequence[str]) -> None:
        """Put texts through the layers that do not learn."""
        new = sorted(set(texts) - self.states.keys(), key=len)
        for start in range(0, len(new), 24):
            batch = new[start : start + 24]
            tokens = [self.tokens.encode(text, granite.TOKENS_MOST) for text in batch]
            longest = max(map(len, tokens))
            ids = torch.full((len(batch), longest), granite.PAD)
            for row, text in enumerate(tokens):
                ids[row, : len(text)] = torch.tensor(text)
            offset = int(self.arch["position_offset"])
            states = self.weights["word_emb"][ids] + self.weights["type_emb"][0]
            states = states + self.weights["pos_emb"][offset : offset + longest]
            states = self.normal(states, "emb_ln")
            mask = (ids != granite.PAD)[:, None, None, :]
            for layer in range(FIRST):
                states = self.layer(states, mask, layer)
            for row, text in enumerate(tokens):
                self.states[batch[row]] = states[row, : len(text)].half().clone()

    def vectors(self, texts: Sequence[str]) -> Tensor:
        order = sorted(range(len(texts)), key=lambda at: len(self.states[texts[at]]))
        found: list[Tensor] = []
        for start in range(0, len(order), 32):
            kept = [self.states[texts[at]].float() for at in order[start : start + 32]]
            states = nn.utils.rnn.pad_sequence(kept, batch_first=True)
            lengths = torch.tensor([len(each) for each in kept])
            mask = torch.arange(states.shape[1])[None] < lengths[:, None]
            for layer in (FIRST, LAST):
                states = self.layer(states, mask[:, None, None, :], layer)
            found.append(functional.normalize(states[:, 0], dim=-1))
        return torch.cat(found)[torch.tensor(order).argsort()]


def turns_of(items: Sequence[Item]) -> Iterator[tuple[int, bool, list[str]]]:
    """Yield each turn: whose question it belongs to, whether it answers, and what gets vectors."""
    for at, item in enumerate(items):
        role = "assistant" if item["kind"] == "assistant" else "user"
        for text in item["gold"]:
            yield at, True, [text, *sentences(role, text)]
        for text in item["hard"]:
            yield at, False, [text, *sentences("user", text)]


def nearness(
    model: Model, asked: Sequence[Item], items: Sequence[Item]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return how near each question is to each turn, whose the turns are and which answer."""
    turns = list(turns_of(items))
    texts = [text for _, _, parts in turns for text in parts]
    owners = torch.tensor([at for at, (_, _, parts) in enumerate(turns) for _ in parts])
    near = model.vectors([item["question"] for item in asked]) @ model.vectors(texts).T
    best = torch.full((len(asked), len(turns)), -2.0)
    best = best.scatter_reduce(1, owners[None].expand(len(asked), -1), near, "amax")
    return (
        best,
        torch.tensor([each[0] for each in turns]),
        torch.tensor([each[1] for each in turns]),
    )


def loss(model: Model, batch: Sequence[Item]) -> Tensor:
    near, owners, answers = nearness(model, batch, batch)
    near = SHARPNESS * near
    gold = (owners[None] == torch.arange(len(batch))[:, None]) & answers[None]
    others = torch.logsumexp(near.masked_fill(gold, -1e9), 1, keepdim=True)
    missed = torch.logaddexp(near, others) - near
    by_question = (missed * gold).sum(1) / gold.sum(1)
    by_answer = functional.cross_entropy(near[:, answers].T, owners[answers])
    return by_question.mean() + 0.3 * by_answer


@torch.no_grad()
def found_share(model: Model, asked: Sequence[Item], items: Sequence[Item]) -> float:
    """Return for how many questions an answer is among the first five of all turns."""
    near, owners, answers = nearness(model, asked, items)
    number = {id(item): at for at, item in enumerate(items)}
    found = 0
    for item, row in zip(asked, near, strict=True):
        first = row.topk(5).indices
        found += bool(((owners[first] == number[id(item)]) & answers[first]).any())
    return found / len(asked)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--items", type=int, default=None, help="use only the first N")
    given = parser.parse_args()
    torch.manual_seed(1)
    items = [json.loads(line) for line in ITEMS.read_text("utf-8").splitlines()][: given.items]
    random.Random(5).shuffle(items)
    held, learned = items[::6], [item for at, item in enumerate(items) if at % 6]
    model = Model()
    model.read([item["question"] for item in items])
    model.read([text for _, _, parts in turns_of(items) for text in parts])
    print(f"{len(learned)} questions, {len(held)} held out", flush=True)
    print(f"any@5 of those before: {found_share(model, held, items):.3f}", flush=True)
    steps = max(1, given.epochs * (len(learned) // BATCH))
    optimizer = torch.optim.AdamW(model.changes.narrow.parameters(), lr=RATE)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 10) * max(0.05, 1 - step / steps)
    )
    dice = random.Random(1)
    for epoch in range(given.epochs):
        dice.shuffle(learned)
        for start in range(0, len(learned) - BATCH + 1, BATCH):
            optimizer.zero_grad()
            loss(model, learned[start : start + BATCH]).backward()
            nn.utils.clip_grad_norm_(model.changes.narrow.parameters(), 1.0)
            optimizer.step()
            rate.step()
        print(f"any@5 after epoch {epoch + 1}: {found_share(model, held, items):.3f}", flush=True)
    model.changes.save(given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())

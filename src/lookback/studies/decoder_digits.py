"""Digits spelt out, letter by letter: a decoder without its mask, shift or source.

The source is three digits, 3 1 4; the target is "three one four". One decoder layer
reads the digits by cross-attention and writes the letters.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.decoder import Decoder
from lookback.encoder import LayerConfig
from lookback.workshop import Row, Study, case, grid, known, practise, seeds

from .decoder import opened

NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
BEGIN, END = 0, 1
SIGNS = ["<", ">", " ", *sorted(set("".join(NAMES)))]
DIGITS, LONGEST = 3, 19  # "three seven eight" has 17 letters and spaces; <, >
FAULTS = ("none", "no mask", "no shift", "no source")
SEEDS = (0, 1, 2, 3, 4)
TESTS = 300
D_MODEL, BATCH, STEPS, RATE = 32, 32, 150, 1e-2


def spelt(x: Tensor) -> Tensor:
    """x (B, 3), digits → (B, 19): <, the letters of their names, > to the end."""
    rows = torch.full((len(x), LONGEST), END)
    for row, numbers in zip(rows, x.tolist(), strict=True):
        text = "<" + " ".join(NAMES[n] for n in numbers)
        row[: len(text)] = torch.tensor([SIGNS.index(sign) for sign in text])
    return rows


class Speller(nn.Module):
    """One decoder layer on embeddings of digits; scores of letters.

    It has a fault, one of FAULTS:

    none       it has none
    no mask    each position attends to all letters, later ones, too
    no shift   each position reads the letter that it is to predict
    no source  cross-attention finds zeros
    """

    def __init__(self, fault: str, d: int = D_MODEL) -> None:
        super().__init__()
        self.fault = known("fault", fault, FAULTS)
        sizes = LayerConfig(d_model=d, h=2, d_ff=4 * d)
        self.digit, self.place = nn.Embedding(10, d), nn.Embedding(DIGITS, d)
        self.sign, self.position = nn.Embedding(len(SIGNS), d), nn.Embedding(LONGEST, d)
        self.decoder, self.out = Decoder(sizes, 1), nn.Linear(d, len(SIGNS))
        if self.fault == "no mask":
            opened(self.decoder)

    def forward(self, x: Tensor, letters: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, 3), letters (B, T) → logits (B, T, V); weights (B, h, T, 3)"""
        memory = self.digit(x) + self.place.weight
        if self.fault == "no source":
            memory = torch.zeros_like(memory)
        y = self.sign(letters) + self.position.weight[: letters.size(1)]
        source = self.decoder.project(memory)
        y, weights, _ = self.decoder(y, source, torch.ones_like(x, dtype=torch.bool))
        return self.out(y), weights[0].cross_attention

    @torch.no_grad()
    def write(self, x: Tensor) -> list[str]:
        """The likeliest letter after those written so far, again and again."""
        letters = torch.full((len(x), 1), BEGIN)
        for _ in range(LONGEST - 1):
            best = self(x, letters)[0][:, -1].argmax(dim=1, keepdim=True)
            letters = torch.cat([letters, best], dim=1)
        rows = ["".join(SIGNS[i] for i in row[1:]) for row in letters.tolist()]
        return [row.split(">")[0] for row in rows]


def loss(model: Speller, x: Tensor) -> Tensor:
    """By teacher forcing: the reference's letters are read."""
    target = spelt(x)
    read = target[:, 1:] if model.fault == "no shift" else target[:, :-1]
    logits, _ = model(x, read)
    return cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())


def learned(fault: str, seed: int, steps: int) -> Speller:
    """The network after its training; the rate falls to 0 in a straight line."""

    def of_batch(model: Speller, generator: torch.Generator) -> Tensor:
        return loss(model, torch.randint(10, (BATCH, DIGITS), generator=generator))

    return practise(
        lambda: Speller(fault), of_batch, seed=seed, steps=steps, rate=RATE, falls=True
    )[0]


def measured(fault: str, seed: int, steps: int = STEPS) -> Row:
    """Of new digits: the loss, and what is written.

    exact  the share of sources that are spelt without an error
    words  the share of what is written that are names of digits, right or not
    """
    model = learned(fault, seed, steps)
    x = torch.randint(10, (TESTS, DIGITS), generator=seeds.generator(2017))
    with torch.no_grad():
        cost = loss(model, x).item()
    written = model.write(x)
    wanted = [" ".join(NAMES[n] for n in row) for row in x.tolist()]
    words = [word for row in written for word in row.split(" ")]
    return {
        "loss": cost,
        "exact": sum(map(str.__eq__, written, wanted)) / TESTS,
        "words": sum(word in NAMES for word in words) / len(words),
        "written": [[*each] for each in zip(wanted[:3], written, strict=False)],
    }


STUDY = Study(
    about="digits spelt out by a decoder that lacks its mask, its shift or its source",
    cases=grid("{fault}, seed {seed}", measured, fault=FAULTS, seed=SEEDS),
    check=case(measured, fault="no shift", seed=0, steps=5),
)

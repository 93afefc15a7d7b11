"""`lookback new NAME`: what a chapter begins with, small and true.

The texts below are a chapter of one idea, a table that has a row of scores for each
word: a page, a module and its test that pass all checks as they stand. Whoever writes
a chapter replaces them piece by piece.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lookback.text.spelling import did_you_mean

from . import options
from .register import NAV, bibliography, chapters, checkout, register, works

if TYPE_CHECKING:
    from .options import Commands

PAGE = """\
---
title: "@title@"
papers: [@papers@]
question: "@question@"
needs: [@needs@]
offers: [@Class@]
---

# @title@

**@question@** Here is one answer, which looks at the last word alone.

!!! short "In short"

    A table has a row for each word: a score for every word that may come next. The rows
    are learned. What stood before the last word is forgotten.

## The idea

Look up the row of the last word:

```python
#| open: true
import torch

table = torch.tensor([[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
words = torch.tensor([0, 1])
print(table[words])
```

@diagram@## The mathematics

With $x_t$ for the word at position $t$, and $W$ for the table of $V$ rows and $V$
columns, the scores of the next word are

$$s_t = W_{x_t} \\tag{1}$$

## The machine

```{.python src="lookback.@name@:@Class@"}
```

@study@@recipe@!!! differs "Differs from the paper"

    * The paper counts; here the rows are learned.

!!! mistakes "Common mistakes"

    **The column instead of the row.** `table[:, words]` has what comes *before* a word.

!!! exercise "Exercise 1 (easy): parameters"

    How many numbers has the table of 1 000 words?

    ??? hint "Hint"

        It has a row for each word, and in it a column for each word.

    ??? solution "Solution"

        ```python
        print(1000 * 1000)
        ```

!!! exercise "Exercise 2 (medium): probabilities"

    Make probabilities of the scores above.

    ??? hint "Hint"

        The scores of one word are a row.

    ??? solution "Solution"

        ```python
        print(table.softmax(dim=1))
        ```

!!! exercise "Exercise 3 (hard): the word before"

    Which table gives scores for the word *before* another?

    ??? hint "Hint"

        Exchange the two words of each pair.

    ??? solution "Solution"

        The transposed one, where both words are counted in pairs:

        ```python
        print(table.T)
        ```

!!! further "Further reading"

    * [@@paper@].

## Sources

* The idea: [@@paper@].
"""

DIAGRAM_ON_PAGE = """\
```python
#| alt: A word and, above it, the scores that are its row of the table.
#| caption: A row for each word.
from lookback.diagrams import @name@ as drawing

drawing.draw()
```

"""

STUDY_ON_PAGE = """\
## It learns

Each word of a toy text is followed by its successor:

```python
#| caption: The loss after few and after many steps.
from lookback import results
from lookback.figures import Table

rows = results("@name@").rows
Table(["steps", "loss"], [[label, row["loss"]] for label, row in rows.items()])
```

"""

RECIPE_ON_PAGE = """\
## It writes

```python
from lookback import pretrained

sentences = pretrained("@name@").generate(2, generator=torch.Generator())
print([" ".join(words) for words in sentences])
```

"""

MODULE = '''\
"""@title@."""

from torch import Tensor, nn

from lookback.checks import ids, whole

__all__ = ["@Class@"]


class @Class@(nn.Module):
    """s_t = W[x_t]: the scores of the next word depend on the last word alone.

    V  size of the vocabulary

    >>> import torch
    >>> @Class@(5)(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 5])
    """

    def __init__(self, V: int) -> None:
        super().__init__()
        whole(V=V)
        self.V = V
        self.W = nn.Embedding(V, V)

    def forward(self, x: Tensor) -> Tensor:
        """The scores of the next word.

        x  (B, T)     ids
        →  (B, T, V)
        Raises `ValueError` for what is no id of the vocabulary.
        """
        ids(self.V, x=x)
        scores: Tensor = self.W(x)  # (1)
        return scores
'''

TEST = '''\
"""@title@."""

import pytest
import torch

from lookback.@name@ import @Class@


def test_by_hand() -> None:
    model = @Class@(3)
    rows = torch.tensor([[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [4.0, 0.0, 0.0]])
    model.load_state_dict({"W.weight": rows})
    assert model(torch.tensor([[1, 0]])).tolist() == [[[1, 0, 3], [0, 2, 1]]]


def test_the_future_does_not_matter() -> None:
    model, x = @Class@(5), torch.tensor([[1, 2, 3, 4]])
    assert torch.equal(model(x)[:, :2], model(x[:, :2]))


def test_refusals() -> None:
    with pytest.raises(ValueError, match="V must be a whole number"):
        @Class@(0)
    with pytest.raises(ValueError, match="x holds"):
        @Class@(5)(torch.tensor([[5]]))
'''

DIAGRAM = '''\
"""Draw @Class@: a word, and its row of the table."""

import torch

from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.@name@ import @Class@


def panel() -> Panel:
    """Draw the word below, its scores above."""
    return Panel(
        boxes="""
         s | learned | scores | W   | B T V
         x | word    | $x$    | .(x) | B T
        """,
        grid="""
         | 120
         s
         x
        """,
        arrows="""
         x -> s
        """,
    )


def hold(panel: Panel) -> Panel:
    """Hold the panel against a run."""
    x = torch.tensor([[1, 2, 3]])
    return held(panel, @Class@(5), lambda model: model(x), {"B": 1, "T": 3, "V": 5})


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.@name@:@Class@",))
'''

STUDY = '''\
"""@Class@ on words of which each is followed by its successor."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lookback.@name@ import @Class@
from lookback.workshop import Row, Study, case, grid, practise

V = 7


def measured(steps: int, seed: int = 0) -> Row:
    """The mean loss of the last step."""

    def loss(model: @Class@, generator: torch.Generator) -> Tensor:
        words = torch.randint(0, V, (16, 1), generator=generator)
        return cross_entropy(model(words).flatten(0, 1), (words.flatten() + 1) % V)

    _, losses = practise(lambda: @Class@(V), loss, seed=seed, steps=steps, rate=0.1)
    return {"loss": losses[-1]}


STUDY = Study(
    about="a table of scores, on words of which each is followed by its successor",
    cases=grid("{steps}", measured, steps=(10, 100)),
    check=case(measured, steps=3),
)
'''

RECIPE = '''\
"""How @Class@ is trained."""

from torch import Tensor, nn

from lookback.@name@ import @Class@
from lookback.workshop import (
    TEXTS,
    Budget,
    LanguageLearner,
    Optimiser,
    Recipe,
    Vocabularies,
)


class @Class@Learner(LanguageLearner):
    """Reads whole sentences; padding follows them, and so reaches no word."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return @Class@(len(vocabularies["words"]))

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = network(ids)
        return logits


RECIPES = {
    "@name@": Recipe(
        @Class@Learner,
        data=TEXTS["grammar"],
        seed=0,
        model=None,
        optimiser=Optimiser("adam", 0.05),
        budget=Budget(steps=100, tokens=500, evaluate_every=50),
    )
}
'''

RECIPE_TEST = '''\
"""@Class@ learns, and comes back from its tensors."""

from dataclasses import replace

from lookback.recipes.@name@ import RECIPES
from lookback.workshop import Budget, Data

from .conftest import learns


def test_it_learns_and_comes_back_from_its_tensors() -> None:
    budget = Budget(40, 12, evaluate_every=20)
    learns(replace(RECIPES["@name@"], data=Data("t"), budget=budget))
'''

FILES = {
    "page": {"docs/@name@.md": PAGE},
    "module": {"src/lookback/@name@.py": MODULE, "tests/test_@name@.py": TEST},
    "diagram": {"src/lookback/diagrams/@name@.py": DIAGRAM},
    "study": {"src/lookback/studies/@name@.py": STUDY},
    "recipe": {
        "src/lookback/recipes/@name@.py": RECIPE,
        "tests/recipes/test_@name@.py": RECIPE_TEST,
    },
}
"""Path → text, of what every chapter has, and of what is asked for."""
ON_PAGE = {
    "diagram": DIAGRAM_ON_PAGE,
    "study": STUDY_ON_PAGE,
    "recipe": RECIPE_ON_PAGE,
}
RUN = {"study": "measure", "recipe": "train"}
"""The command that makes the file which lies beside a module."""
EXAMPLES = """\
  lookback new moe --after modern --title Mixture of experts
  lookback new moe --paper shazeer2017 --study --diagram"""


def add_to(commands: Commands) -> None:
    parser = options.add(
        commands, "new", _new, "begin a chapter: page, module and test", EXAMPLES
    )
    parser.add_argument("name", metavar="NAME", help="of its module and of its page")
    parser.add_argument(
        "--title", nargs="+", default=[], metavar="WORD", help="default: the name"
    )
    parser.add_argument(
        "--question",
        nargs="+",
        default=["Which word comes next?"],
        metavar="WORD",
        help="what it answers",
    )
    parser.add_argument(
        "--paper",
        dest="papers",
        action="append",
        metavar="KEY",
        help="of docs/references.bib; may be given again (default: shannon1948)",
    )
    parser.add_argument(
        "--after", metavar="CHAPTER", help="where it stands (default: the last idea)"
    )
    for kind, what in (
        ("study", "an experiment, measured at once"),
        ("recipe", "a trained model, trained at once"),
        ("diagram", "a drawing"),
    ):
        parser.add_argument(f"--{kind}", action="store_true", help=f"add {what}")


def _new(arguments: argparse.Namespace) -> int:
    root, name = checkout(), arguments.name
    order = [chapter.name for chapter in chapters(root) if "offers" in chapter.front]
    after = arguments.after or order[-1]
    if after not in order:
        hint = did_you_mean(after, order)
        raise ValueError(f"--after: there is no chapter {after!r}{hint}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"{name!r} is no name: small letters, digits and _ alone")
    title, question = " ".join(arguments.title), " ".join(arguments.question)
    for text in (title, question):
        if set('"\\\n') & set(text):
            raise ValueError(f"{text!r}: leave out quotes, backslashes and new lines")
    kinds = [kind for kind in ON_PAGE if getattr(arguments, kind)]
    papers = arguments.papers or ["shannon1948"]
    works(bibliography(root), papers, "--paper")
    words = {kind: text if kind in kinds else "" for kind, text in ON_PAGE.items()} | {
        "name": name,
        "Class": "".join(part.capitalize() for part in name.split("_")),
        "title": title or name.capitalize().replace("_", " "),
        "question": question,
        "papers": ", ".join(papers),
        "paper": papers[0],
        "needs": after,
    }
    files = {
        root / filled(path, words): filled(text, words)
        for kind in ("page", "module", *kinds)
        for path, text in FILES[kind].items()
    }
    taken = [path for path in files if path.exists()]
    taken += [p for p in [root / "src/lookback" / name] if p.exists()]
    if taken:
        raise ValueError(f"{taken[0]} exists: take another name")
    for path, text in files.items():
        with options.whole(path) as file:
            file.write_text(text, encoding="utf-8", newline="\n")
        print(path)
    nav = root / NAV
    line = re.compile(rf"^( *- ){after}\.md\n", re.MULTILINE)
    with_it = line.sub(rf"\g<0>\g<1>{name}.md\n", nav.read_text(encoding="utf-8"))
    with options.whole(nav) as file:
        file.write_text(with_it, encoding="utf-8", newline="\n")
    for path in (nav, *register(root)):
        print(path)
    for kind in kinds:
        if kind in RUN:  # in a process that knows the new modules
            _run(root, RUN[kind], name)
    return 0


def filled(text: str, words: dict[str, str]) -> str:
    """A text with each @word@ replaced; what replaces one may hold later ones."""
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def _run(root: Path, command: str, name: str) -> None:
    path = os.pathsep.join([str(root / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "lookback", command, name],
        cwd=root,
        env=os.environ | {"PYTHONPATH": path},
    )
    if done.returncode:
        raise ValueError(f"`lookback {command} {name}` failed: see above")

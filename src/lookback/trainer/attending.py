"""What a trained network may be kept from: words that it reads, and its heads."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from torch import Tensor, nn

from .learner import Learner, Words

Head = tuple[str, int, int]
"""A head's kind, "encoder", "self" or "cross"; its layer and its number, from 0."""


class HidingLearner(Learner, ABC):
    """Of a network that attends by a mask, in which hidden words are False."""

    _hidden: tuple[str | int, ...] = ()

    @contextmanager
    def hidden(self, *words: str | int) -> Iterator[None]:
        """Hide words of the sentence that is read: no attention reaches them.

            with model.hidden("not"):
                model.translate(sentence)

        words  each wherever the sentence has it, or its position, from 0

        A hidden word has weight 0, as if its score were -∞; the others share the rest.
        That is all: the word is not removed. A recurrent encoder has read it, so that
        the annotations of its neighbours may still know it. Of a Transformer it is
        hidden in the encoder, too, where words know of each other by attention alone:
        there only the positions of the others tell that a word was there.
        Blocks add up; after one, all is as before. `ValueError` for a word that the
        sentence has not; a language model hides a word whenever its text has it.
        """
        before = self._hidden
        self._hidden = (*before, *words)
        try:
            yield
        finally:
            self._hidden = before

    def visible(self, read: Sequence[Words], mask: Tensor, first: int = 0) -> Tensor:
        """The mask (B, S) of these B sentences, False on their hidden words, too.

        first  the column of a sentence's first word
        """
        mask = mask.clone()
        for row, words in enumerate(read):
            for place in self.places(words):
                mask[row, first + place] = False
        return mask

    def places(self, words: Words) -> set[int]:
        """Where the hidden words are among these."""
        found = set[int]()
        for one in self._hidden:
            places = {k for k, word in enumerate(words) if one in (k, word)}
            if not places:
                self.absent(one, words)
            found |= places
        return found

    def absent(self, one: str | int, words: Words) -> None:
        """Refuse to hide what is not among these words."""
        raise ValueError(
            f"there is no word {one!r} to hide in {' '.join(words)!r}: expected one of "
            f"its words, or a position from 0 to {len(words) - 1}"
        )


class HeadsLearner(Learner, ABC):
    """Of a network of multi-head attention."""

    @abstractmethod
    def attentions(self) -> Mapping[str, Sequence[nn.Module]]:
        """The `MultiHeadAttention`s of each kind, the lowest layer first."""

    @contextmanager
    def without(self, *, heads: Iterable[Head]) -> Iterator[None]:
        """Switch attention heads off: 0 takes the place of their outputs.

            with model.without(heads=[("cross", 1, 2), ("encoder", 0, 3)]):
                model.translate(sentence)

        heads  each its kind, its layer and its number, both from 0. Kinds: "encoder",
               self-attention of both sides; "self", masked self-attention; "cross"

        The head's weights are as they were; what it mixes by them reaches nothing.
        Blocks add up; after one, all is as before. `ValueError` for another head.
        """
        with ExitStack() as hooks:
            for head in heads:
                attention, d_v = self._attention(head), self._attention(head).d_v
                silent = zero(slice(head[2] * d_v, (head[2] + 1) * d_v))
                hooks.enter_context(attention.W_O.register_forward_pre_hook(silent))
            yield

    def _attention(self, head: Head) -> Any:
        """The attention that a head is of; `ValueError` where there is none."""
        kinds, (kind, layer, number) = self.attentions(), head
        layers: Sequence[Any] = kinds.get(kind, ())
        if layer in range(len(layers)) and number in range(layers[layer].h):
            return layers[layer]
        one: Sequence[Any] = next(iter(kinds.values()))
        raise ValueError(
            f"there is no head {head!r}: expected {' or '.join(map(repr, kinds))}, a "
            f"layer from 0 to {len(one) - 1} and a head from 0 to {one[0].h - 1}"
        )


def zero(features: slice) -> Callable[[nn.Module, tuple[Tensor]], Tensor]:
    """A hook that sets these features of a module's input to 0."""

    def hook(module: nn.Module, inputs: tuple[Tensor]) -> Tensor:
        x = inputs[0].clone()
        x[..., features] = 0
        return x

    return hook

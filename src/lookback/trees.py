"""Parse trees as tuples: (label, child, …), and a leaf is (tag, word).

`binarise` and `annotate_parents` change the labels before rules are counted; `restore`
undoes both.
"""

from collections.abc import Iterator
from typing import TypeAlias

__all__ = [
    "Tree",
    "annotate_parents",
    "binarise",
    "children",
    "is_leaf",
    "label_of",
    "leaves",
    "nodes",
    "restore",
]

PARENT, BEFORE = "^", "|"  # NP^S: an NP in an S;  VP|AUX: the rest of a VP after AUX

Tree: TypeAlias = "tuple[str | Tree, ...]"


def is_leaf(tree: Tree) -> bool:
    """Whether the node is (tag, word)."""
    return len(tree) == 2 and isinstance(tree[1], str)


def children(tree: Tree) -> tuple[Tree, ...]:
    """The trees under a node.

    Raises ValueError for what is no tree.
    """
    if not (
        isinstance(tree, tuple)
        and len(tree) > 1
        and isinstance(tree[0], str)
        and (is_leaf(tree) or all(type(n) is tuple and n for n in tree[1:]))
    ):
        raise ValueError(
            f"{tree!r} is no tree: expected (label, child, …), or (tag, word)"
        )
    return () if is_leaf(tree) else tree[1:]  # type: ignore[return-value]


def label_of(tree: Tree) -> str:
    """Return the label of the root: a phrase's, or the tag."""
    return str(tree[0])


def leaves(tree: Tree) -> tuple[tuple[str, str], ...]:
    """(tag, word) of every leaf, from left to right."""
    below = children(tree)
    if not below:
        return (tree,)  # type: ignore[return-value]
    return tuple(leaf for child in below for leaf in leaves(child))


def nodes(tree: Tree) -> Iterator[Tree]:
    """Every node, the leaves too, from the root."""
    yield tree
    for child in children(tree):
        yield from nodes(child)


def binarise(tree: Tree, h: int | None = None) -> Tree:
    """The tree with at most two children a node; `restore` undoes it.

    A → B C D  becomes  A → B A|B,  A|B → C D. The new label A|B says that A is the
    parent and that its child B came before. With h it holds only the last h children
    (Markovisation, Klein and Manning 2003), so that rules that were never seen get a
    probability, too; None: all of them.

    >>> binarise(("VP", ("V", "gave"), ("N", "her"), ("N", "fish")))
    ('VP', ('V', 'gave'), ('VP|V', ('N', 'her'), ('N', 'fish')))
    """
    below = [binarise(child, h) for child in children(tree)]
    if not below:
        return tree
    check_mark(tree, BEFORE)
    label = label_of(tree)
    if len(below) <= 2:
        return (label, *below)
    names = [label_of(child).split(PARENT)[0] for child in below]
    last = below[-1]
    for i in range(len(below) - 2, 0, -1):
        seen = names[:i] if h is None else names[max(0, i - h) : i]
        last = (label + BEFORE + "-".join(seen), below[i], last)
    return (label, below[0], last)


def annotate_parents(tree: Tree) -> Tree:
    """The tree with the label of its parent at each phrase; `restore` undoes it.

    An NP under S becomes NP^S. The root and the tags stay as they are. Johnson 1998.
    """
    label = label_of(tree)
    check_mark(tree, PARENT)
    below: list[Tree] = []
    for child in children(tree):
        if is_leaf(child):
            below.append(child)
        else:
            _, *rest = annotate_parents(child)
            below.append((f"{label_of(child)}{PARENT}{label}", *rest))
    return (label, *below) if below else tree


def check_mark(tree: Tree, mark: str) -> None:
    """Refuse a tree whose label holds a mark that is written only later."""
    if mark in label_of(tree):
        raise ValueError(
            f"label {label_of(tree)!r} holds {mark!r}, which binarise and "
            "annotate_parents write: expected labels without it"
        )


def restore(tree: Tree) -> Tree:
    """The tree without what `binarise` and `annotate_parents` did to it."""
    below: list[Tree] = []
    for child in children(tree):
        whole_child = restore(child)
        cut = BEFORE in label_of(child)
        below += whole_child[1:] if cut else [whole_child]  # type: ignore[arg-type]
    return (label_of(tree).split(PARENT)[0], *below) if below else tree

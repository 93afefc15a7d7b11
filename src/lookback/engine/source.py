"""Cut definitions out of a package's source, as pages show them.

No marker comments in the source and no copy in the page: a chapter names
`lookback.ngram:NgramModel.fit` and shows what stands there now, in the plain view.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookback.extract import Definition, Package, imports, plain

from .blocks import Piece


@dataclass(frozen=True)
class Excerpt:
    """Hold definitions of a module as a page shows them.

    sources  where each stands
    text     all of them in the plain view
    imports  the lines that a copy of the text needs above it
    """

    sources: list[Definition]
    text: str
    imports: str

    @property
    def copy(self) -> str:
        return f"{self.imports}\n\n{self.text}"


def excerpt(piece: Piece, package: Package) -> Excerpt:
    """Cut what a `src=` block names, `Name` or `Name.method`, out of its source.

    raises ValueError where a name names nothing, or two things
    """
    module, names = piece.options["module"], piece.options["names"].split(", ")
    sources = [package.definition(f"{module}:{name}") for name in names]
    where = module.partition(".")[2]
    checks = package.checks(where)
    text = "\n\n".join(plain(source.text, checks).rstrip() for source in sources)
    tops = {name.partition(".")[0] for name in names}
    return Excerpt(sources, text, imports(where, text, tops, package).rstrip())


def page_of(module: str) -> str:
    """Name a module's page: `lookback.text.corpora` → source/text/corpora.md."""
    return "source/" + module.partition(".")[2].replace(".", "/") + ".md"

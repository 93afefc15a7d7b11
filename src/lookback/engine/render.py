"""Render a page: blocks with their outputs to Markdown, and that HTML to the page.

HTML of ours (outputs, formulas, figures) does not go through Markdown: a token stands
for it there, and `finish` puts it in place of the token afterwards.

What the reader came for stands in sight: an output before folded code that made it,
open code before its output, a question before its answer.
"""

from __future__ import annotations

import ast
import html
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from markdown import markdown

from .blocks import Page, Piece, parse
from .book import Book
from .cite import Entry
from .errors import PageError
from .figure import figure_html
from .labels import Label, labels, link, reference_words, unnamed
from .output import Output, printable
from .quiz import on_paper, quiz_html
from .search import EXCLUDE
from .source import Excerpt, Source, excerpt, find_source, page_of
from .tex import TERM, equation, to_mathml

WIDE = 84
"""Characters of text that a column holds beside its margins."""

STATES = {"waits", "fault"}
"""Outputs that say why there is none, or none yet."""

_MARKUP = re.compile(r"""[\\`*_{}\[\]()<>#!|~^=$:"&\t\n\ue000\ue001]""")
_ITEM = re.compile(r"[+-]|\d+\.(?:\s|$)")
_TOKEN = re.compile("(<p>)?\ue000(\\d+)\ue001(?(1)(</p>)?)")
_BLOCKS = ("<div", "<p", "<figure", "<aside", "<ol", "<ul", "<details")
_FORMULA = re.compile(
    r"(<math(?![^>]*display)[^>]*>(?:(?!</math>).)*</math>)([.,;:!?)’”]+)", re.DOTALL
)
_SCRIPTS = (
    (re.compile(r'<a class="lb-(ref|cite|term)"'), "preview"),
    (re.compile(r'<details class="lb-fold[^"]*"'), "folding"),
    (re.compile(r'<mrow data-term="[^"]*"'), "terms"),
)
_DIAGRAM_LINK = re.compile(r'<a href="lookback:([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_PART = re.compile(r'\sdata-part="([^"]*)"')
_GAP = re.compile(r"\S {3,}(?=\S)")
_EXERCISE = re.compile(
    r'(?P<box><(?:div|details))(?P<rest> class="(?:admonition )?exercise"[^>]*>\s*'
    r'<(?:p class="admonition-title"|summary)>'
    r"(?P<title>Exercise (?P<number>\d+)\b.*?)</(?:p|summary)>)",
    re.DOTALL,
)
_HEADING = re.compile(r'<h[2-6] id="([^"]+)"')


@dataclass
class Setting:
    """Hold a page in its book, and resolve what it points at.

    url      another page (`luong.md`) → its URL from this one, "" where there is none
    markers  words of a `<!-- lookback: … -->` comment → HTML that takes its place
    """

    book: Book
    uri: str
    url: Callable[[str], str] = lambda uri: ""
    markers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.page = self.book.pages[self.uri]
        self.labels = labels(self.page)

    def pieces(self) -> Iterator[tuple[Piece, list[Output]]]:
        """Yield each piece with what it showed, if the page has run."""
        run = self.book.runs.get(self.uri)
        results = iter(run.outputs if run else [])
        for piece in self.page.pieces:
            yield piece, next(results, []) if piece.runs else []

    def fault(self, piece: Piece, message: object) -> PageError:
        return PageError(self.page.name, piece.line, str(message))

    def works(self, piece: Piece) -> list[tuple[str, Entry]]:
        """Look up the works that a piece cites, each with the words of its link."""
        works = self.book.bibliography.cited(piece.code, self.page.name, piece.line)
        return [(f"{w.label}, {at}" if at else w.label, w) for w, at in works]

    def excerpt(self, piece: Piece) -> Excerpt:
        """Find the definitions that a `src=` block names."""
        try:
            return excerpt(piece, self.book.modules)
        except ValueError as error:
            raise self.fault(piece, f"src: {error}") from None

    def copy(self, piece: Piece) -> str:
        """Write the code of a block as one copies it: it runs by itself."""
        return piece.code if piece.kind == "code" else self.excerpt(piece).copy

    def source_url(self, source: Source) -> str:
        listing = self.url(page_of(source.module))
        return f"{listing}#L{source.first}" if listing else ""

    def label(self, target: str) -> tuple[Label | None, str]:
        """Find what `#map` or `luong.md#eq-7` numbers, and the URL of its page."""
        path, _, anchor = target.partition("#")
        if not path:
            return self.labels.by_id.get(anchor), ""
        uri = posixpath.normpath(posixpath.join(self.uri, "..", path))
        if uri not in self.book.pages:
            return None, ""  # MkDocs says that there is no such page
        return labels(self.book.pages[uri]).by_id.get(anchor), self.url(uri)

    def diagram_link(self, target: str) -> str:
        """Resolve `encoder`, `encoder#eq-2` or `source:…` to a URL, "" for no link.

        Raises ValueError where there is no such chapter, or nothing has the anchor.
        """
        name, _, anchor = target.partition("#")
        if name.startswith("source:"):
            reference = name.removeprefix("source:")
            return self.source_url(find_source(reference, self.book.package))
        uri = f"{name}.md"
        if uri not in self.book.pages:
            raise ValueError(f"it links to {target}: there is no page {uri}")
        mark = f"\\tag{{{anchor[3:]}}}" if anchor.startswith("eq-") else f"#{anchor}"
        if anchor and mark not in self.book.pages[uri].text:
            raise ValueError(f"it links to {target}: {uri} holds no {mark}")
        url = self.url(uri) if uri != self.uri else ""
        return f"{url}#{anchor}" if anchor else url


@dataclass
class Rendered:
    """Hold Markdown with tokens, the HTML of each, and the page's self-tests."""

    markdown: str = ""
    html: list[str] = field(default_factory=list)
    quizzes: list[str] = field(default_factory=list)

    def token(self, markup: str) -> str:
        """Keep HTML; return the token that stands for it in Markdown."""
        self.html.append(markup)
        return f"\ue000{len(self.html) - 1}\ue001"


def to_markdown(setting: Setting) -> Rendered:
    """Write a page with its outputs; raises PageError at what cannot be rendered."""
    rendered = Rendered()
    renderer = _Renderer(setting, rendered)
    text, position = setting.page.text, 0
    for piece, outputs in setting.pieces():
        rendered.markdown += text[position : piece.start]
        rendered.markdown += renderer.piece(piece, outputs)
        position = piece.end
    rendered.markdown += text[position:]
    _check_terms(setting, rendered)
    return rendered


def faulty(uri: str, error: PageError) -> Rendered:
    """Write what stands for a page that cannot be read or rendered."""
    rendered = Rendered(f"# {uri}\n\n")
    rendered.markdown += rendered.token(_fault(str(error)))
    return rendered


def _fault(message: str) -> str:
    text = html.escape(message, quote=False)
    return f'<pre class="lb-text lb-fault" id="fault" tabindex="0">{text}</pre>'


def _check_terms(setting: Setting, rendered: Rendered) -> None:
    r"""Raise PageError at a `\term` whose figure is not there, or has no such part."""
    terms = [
        (piece, named)
        for piece in setting.page.pieces
        if piece.kind == "math"
        for named in TERM.findall(piece.code)
    ]
    for piece, named in terms:
        name, _, parts = named.partition(".")
        label = setting.labels.by_id.get(name)
        fault = f"`\\term{{{named}}}`: "
        if not label or label.kind != "figure" or not parts:
            fault += "expected a figure's id, a dot, and parts of that figure"
            raise setting.fault(piece, fault)
        drawn = [each for each in rendered.html if f'<figure id="{name}"' in each]
        known = set(" ".join(_PART.findall("".join(drawn))).split())
        if drawn and not known.issuperset(parts.split()):
            fault += f"the parts of `{name}` are {', '.join(sorted(known))}"
            raise setting.fault(piece, fault)


def finish(page: str, rendered: Rendered) -> str:
    """Give exercises ids, put HTML in place of its tokens, ask for scripts.

    A sign after a formula stays on the formula's line; each kind of thing that a
    script knows asks for it once.
    """
    page = _EXERCISE.sub(r'\g<box> id="exercise-\g<number>"\g<rest>', page)
    page = place(page, rendered) + on_paper(rendered.quizzes)
    page = _FORMULA.sub(r'<span class="lb-tie">\1\2</span>', page)
    for element, module in _SCRIPTS:
        page = element.sub(rf'\g<0> data-live="{module}"', page, count=1)
    return printable(page)


def place(page: str, rendered: Rendered) -> str:
    """Put the HTML in place of its tokens; a block's token loses its paragraph."""

    def placed(match: re.Match[str]) -> str:
        markup = rendered.html[int(match[2])]
        if match[1] and (not match[3] or not markup.startswith(_BLOCKS)):
            return f"{match[1]}{markup}{match[3] or ''}"
        return markup

    return _TOKEN.sub(placed, page)


def place_titles(contents: Iterable[Any], rendered: Rendered) -> None:
    """Put the HTML in place of its tokens in the titles of a page's contents."""
    for entry in contents:
        entry.title = place(entry.title, rendered)
        place_titles(entry.children, rendered)


def is_open(piece: Piece, *, shows: bool) -> bool:
    """Decide whether the code of a block stands open.

    shows  has the block an output? Then its code is folded; else there is only code
    `#| open:` says otherwise. Boxes and lists hold code for its own sake: open.
    """
    if chosen := piece.options.get("open"):
        return chosen == "true"
    return bool(piece.column) or not shows


def summary(code: str, *, shows: bool) -> str:
    """Name folded code: under its output, or by the laws that it checks."""
    if shows:
        return "How this was made"
    laws = sum(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(code)))
    return f"checked: {laws} law{'s' * (laws > 1)} ✓" if laws else "Preparation"


def fold(kind: str, title: str, inside: str, column: int) -> str:
    """Write Markdown, which stands four columns deeper, as a fold of that class."""
    return " " * column + f'??? {kind} "{title}"\n\n{inside}'


def fence(code: str, column: int, info: str = "python") -> str:
    """Write Python as a fence of Markdown, `column` to the right.

    What a comment tells the formatter is not for readers.
    """
    code = re.sub(r"  # fmt: (?:skip|off|on)$", "", code, flags=re.MULTILINE)
    mark = "`" * max(3, 1 + max(map(len, re.findall(r"`+", code)), default=0))
    lines = [mark + info, *code.split("\n"), mark]
    return "\n".join(" " * column + line if line else "" for line in lines)


def literal(value: str, piece: Piece, page: Page) -> str:
    """Write a value of a sentence so that Markdown shows it as it is.

    What could mean something to Markdown becomes a character reference, and so does
    what would begin a list on this line. Lines and spaces of the value are kept.
    """
    before = page.text[: piece.start].rpartition("\n")[2].strip(" \t>*+-.0123456789")
    item = value and not before and _ITEM.match(value + page.text[piece.end :][:2])
    text = _MARKUP.sub(lambda sign: f"&#{ord(sign[0])};", value[1:] if item else value)
    if item:
        text = f"&#{ord(value[0])};{text}"
    if re.search("^ |  |[\t\n]| $", value):
        return f'<span style="white-space:pre-wrap">{text}</span>'
    return text


def numbered(label: Label | None, words: str) -> str:
    """Write a caption with its number: `Figure 2.` and what the figure shows."""
    if label is None:
        return words
    name = f"{label.kind.capitalize()} {label.number}."
    return f"<strong>{name}</strong> {words}".rstrip()


@dataclass
class _Renderer:
    """Write the pieces of one page as Markdown with tokens."""

    setting: Setting
    out: Rendered

    def __post_init__(self) -> None:
        self.page, self.labels = self.setting.page, self.setting.labels

    def piece(self, piece: Piece, outputs: list[Output]) -> str:
        match piece.kind:
            case "value" if fault := outputs[0].get("fault"):
                return self.out.token(f'<mark id="fault">{_first_line(fault)}</mark>')
            case "value":
                return literal(outputs[0]["text"], piece, self.page)
            case "math":
                return self.out.token(self._formula(piece))
            case "cite":
                return self._citation(piece)
            case "ref":
                return self._reference(piece, self.page)
            case "comment":
                return self._comment(piece)
            case "code":
                return self._block(piece, outputs)
            case "source":
                return self._source(piece)
            case "front":
                return ""
        return self.page.text[piece.start : piece.end]

    def _citation(self, piece: Piece) -> str:
        """Write Markdown links to the works that a piece cites."""
        up = "../" * self.setting.uri.count("/")
        links = (
            f"[{words}]({up}bibliography.md#{work.key}){{ .lb-cite }}"
            for words, work in self.setting.works(piece)
        )
        return "; ".join(links)

    def _formula(self, piece: Piece) -> str:
        try:
            if "display" not in piece.options:
                return to_mathml(piece.code)
            label = self.labels.at[piece.start]
            return equation(piece.code, label.id, key=label.key)
        except ValueError as error:
            raise self.setting.fault(piece, error) from None

    def _reference(self, piece: Piece, page: Page) -> str:
        """Link to something numbered as HTML; any other link is left to MkDocs."""
        label, url = self.setting.label(piece.code)
        words = reference_words(piece, page, label)
        if label is None:
            return page.text[piece.start : piece.end]
        if piece.options["words"]:
            words = self._words(words, piece)
        return self.out.token(link(label, words, url))

    def _words(self, text: str, piece: Piece) -> str:
        """Convert a caption or a question to HTML, like a sentence of the page."""
        text = " ".join(text.split())
        try:
            page = parse(text, self.page.name)
            for each in reversed(page.pieces):
                if each.kind == "math" and not each.options:
                    shown = self.out.token(self._formula(each))
                elif each.kind != "ref":
                    fault = f"`{each.code}` cannot stand in a caption or a question"
                    raise self.setting.fault(piece, fault)
                elif self.setting.label(each.code)[0] is None:
                    raise self.setting.fault(piece, unnamed(each.code, None))
                else:
                    shown = self._reference(each, page)
                text = text[: each.start] + shown + text[each.end :]
        except PageError as error:
            raise self.setting.fault(piece, error.message) from None
        return place(markdown(text), self.out).removeprefix("<p>").removesuffix("</p>")

    def _comment(self, piece: Piece) -> str:
        if piece.code.startswith("caption:"):
            label = self.labels.at[piece.start]
            words = self._words(piece.code.removeprefix("caption:"), piece)
            caption = numbered(label, words)
            return self.out.token(
                f'<p class="lb-caption" id="{label.id}">{caption}</p>'
            )
        marker = re.fullmatch(r"lookback:\s*([\w-]+)", piece.code)
        if not marker:
            return ""
        if marker[1] not in self.setting.markers:
            known = ", ".join(sorted(self.setting.markers)) or "no marker here"
            raise self.setting.fault(piece, f"`{piece.code}`: the engine knows {known}")
        return self.setting.markers[marker[1]]

    def _source(self, piece: Piece) -> str:
        """Show definitions in the plain view; a copy of them has their imports, too."""
        shown = self.setting.excerpt(piece)
        words = f"{piece.options['module']}, lines "
        links = []
        for source in shown.sources:
            lines = f"{words}{source.first}–{source.last}"
            url, words = self.setting.source_url(source), ""
            links.append(f'<a href="{url}">{lines}</a>' if url else lines)
        copy = self.out.token(html.escape(shown.copy).replace("\n", "&#10;"))
        info = f'{{.python #{self.labels.at[piece.start].id} data-copy="{copy}"}}'
        where = f'<p class="lb-source">Full source: {", ".join(links)}</p>'
        if is_open(piece, shows=False):
            code = fence(shown.text, piece.column, info)
            return f"{code}\n\n{self._token(piece, where)}\n"
        code = fence(shown.text, piece.column + 4, info)
        inside = f"{code}\n\n{self._token(piece, where, deeper=4)}"
        title = f"`{piece.options['names']}`"
        return fold("lb-fold lb-alone", title, inside, piece.column) + "\n"

    def _block(self, piece: Piece, outputs: list[Output]) -> str:
        """Write a block with its question, its code and what it showed."""
        kinds, titled = (
            {*chain(*outputs)},
            {"svg", "frames", "diagram", "html", *STATES},
        )
        if "caption" in piece.options and kinds and not kinds & titled:
            raise self.setting.fault(piece, "a caption is for a figure or a table")
        if "quiz" in kinds:
            return self._quiz(piece, outputs[-1]["quiz"])
        if "cell" in kinds:  # of a lab: first the code, as its notebook shows it
            code = self._token(piece, outputs[0]["cell"])
            shown: tuple[str, ...] = code, self._shown(piece, outputs[1:])
        else:
            shown = self._code_and_output(piece, outputs)
        parts = [self._question(piece), *shown]
        return "\n\n".join(filter(None, parts)) + "\n"

    def _token(self, piece: Piece, markup: str, deeper: int = 0) -> str:
        return " " * (piece.column + deeper) + self.out.token(markup)

    def _question(self, piece: Piece) -> str:
        if not (question := piece.options.get("predict")):
            return ""
        words = f"<strong>Predict.</strong> {self._words(question, piece)}"
        return self._token(piece, f'<div class="lb-question"><p>{words}</p></div>')

    def _quiz(self, piece: Piece, quiz: str) -> str:
        """Write a self-test; its answers are folded, with the code that makes them."""
        self.out.quizzes.append(quiz)
        question = self._words(piece.options["quiz"], piece)
        asked, answers = quiz_html(quiz, question, len(self.out.quizzes))
        code = fence(piece.code, piece.column + 4)
        inside = f"{self._token(piece, answers, deeper=4)}\n\n{code}"
        told = fold("lb-predict", "Show the answer", inside, piece.column)
        return f"{self._token(piece, asked)}\n\n{told}\n"

    def _code_and_output(self, piece: Piece, outputs: list[Output]) -> tuple[str, ...]:
        shown = self._shown(piece, outputs)
        shows = bool(outputs) and "fault" not in outputs[-1]
        if is_open(piece, shows=shows):
            return fence(piece.code, piece.column), shown
        code = fence(piece.code, piece.column + 4)
        kind = "lb-fold" if shows else "lb-fold lb-alone"
        return shown, fold(kind, summary(piece.code, shows=shows), code, piece.column)

    def _shown(self, piece: Piece, outputs: list[Output]) -> str:
        if not outputs:
            return ""
        inside = "".join(self._output(piece, output) for output in outputs)
        label = self.labels.at.get(piece.start)
        kind = "lb-output lb-key" if label and label.key else "lb-output"
        shown = f'<div class="{kind}">{inside}</div>'
        if "predict" not in piece.options or STATES & outputs[-1].keys():
            return self._token(piece, shown)
        answer = self._token(piece, shown, deeper=4)
        return fold("lb-predict", "Show the answer", answer, piece.column)

    def _output(self, piece: Piece, output: Output) -> str:
        if STATES & output.keys():
            return self._state(piece, output)
        if {"svg", "frames", "diagram"} & output.keys():
            return self._figure(piece, output)
        if "html" in output:
            return self._html(piece, output["html"])
        text = html.escape(output["text"].rstrip("\n"), quote=False)
        kind = "lb-text lb-wrap" if _is_prose(text) else "lb-text"
        return f'<pre class="{kind}" tabindex="0">{text}</pre>'

    def _state(self, piece: Piece, output: Output) -> str:
        """Write why there is no output, or none yet."""
        if fault := output.get("fault"):
            return _fault(fault)
        label = self.labels.at.get(piece.start)
        name = f' id="{label.id}"' if label else ""
        caption = self._caption(piece)
        return f'<div class="lb-html"{name}><p>{output["waits"]} {caption}</p></div>'

    def _figure(self, piece: Piece, output: Output) -> str:
        label = self.labels.at[piece.start]
        file = f"{PurePosixPath(self.setting.uri).stem}-figure-{label.number}"
        caption = self._caption(piece)
        figure = figure_html(output, piece.options["alt"], caption, file)
        if {"diagram", "frames"} & output.keys():
            figure = self._linked(figure, piece)
        return figure.replace("<figure", f'<figure id="{label.id}"', 1)

    def _linked(self, diagram: str, piece: Piece) -> str:
        """Point a diagram's `lookback:` links at URLs; drop those that have none."""

        def resolve(match: re.Match[str]) -> str:
            url = self.setting.diagram_link(html.unescape(match[1]))
            if not url:
                return match[3]
            return f'<a href="{html.escape(url)}"{match[2]}>{match[3]}</a>'

        try:
            return _DIAGRAM_LINK.sub(resolve, diagram)
        except ValueError as error:
            raise self.setting.fault(piece, f"diagram: {error}") from None

    def _html(self, piece: Piece, markup: str) -> str:
        name, label = "", self.labels.at.get(piece.start)
        if label and label.kind == "table":
            name = f' id="{label.id}"'
            caption = f"<caption>{self._caption(piece)}</caption>"
            markup = re.sub(r"<table[^>]*>", rf"\g<0>{caption}", markup, count=1)
        markup = re.sub(r"<(?:thead|tbody|p)\b", rf"\g<0> {EXCLUDE}", markup)
        return f'<div class="lb-html"{name} tabindex="0">{markup}</div>'

    def _caption(self, piece: Piece) -> str:
        words = self._words(piece.options.get("caption", ""), piece)
        return numbered(self.labels.at.get(piece.start), words)


def _first_line(fault: str) -> str:
    return html.escape(fault.partition("\n")[0], quote=False)


def _is_prose(text: str) -> bool:
    """Has the text lines too long for a column, and none that are set in columns?

    A name before a sentence, some spaces apart, makes no columns.
    """
    lines = [line for line in text.split("\n") if len(line) > WIDE]
    return bool(lines) and all(len(_GAP.findall(line)) < 2 for line in lines)


def add_exercises(
    page: str, contents: Sequence[Any], entry: Callable[[str, str, int], Any]
) -> None:
    """Add the exercises to the contents of a page, after the heading before them.

    Where they have a heading of their own, it gets them as its children.

    page      the page's HTML, before `finish`
    contents  entries with `title`, `id` and `children`, the first of them the page's
    entry     (title, id, level) → an entry
    """
    boxes = list(_EXERCISE.finditer(page))
    if not boxes or not contents:
        return
    before = _HEADING.findall(page[: boxes[0].start()])
    sections = contents[0].children
    at = max((n for n, one in enumerate(sections) if one.id in before), default=-1)
    entries = []
    for box in boxes:
        title = re.sub(r"<(?!/?(?:m|code))[^>]+>", "", box["title"])
        number, name = box["number"], title.partition(":")[2].strip()
        words = f"{number}. {name}" if name else f"Exercise {number}"
        entries.append(entry(words, f"exercise-{number}", 3))
    if at >= 0 and sections[at].title.startswith("Exercise"):
        sections[at].children += entries
        return
    group = entry("Exercises", entries[0].id, 2)
    group.children = entries
    sections.insert(at + 1, group)

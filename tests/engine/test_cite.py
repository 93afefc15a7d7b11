"""Cite works of a BibTeX file by key, and list them."""

from pathlib import Path

import pytest

from lookback.engine.cite import Bibliography, read_bibliography
from lookback.engine.errors import PageError

BIB = r"""
@article{one1948, author = {Shannon, Claude E.}, title = {A {Mathematical} Theory},
  journal = {BSTJ}, volume = {27}, number = {3}, pages = {379--423}, year = {1948},
  doi = {10.1002/x}}
@inproceedings{two1995, author = {Kneser, Reinhard and Ney, Hermann}, title = {Back},
  booktitle = {ICASSP}, year = {1995}, url = {https://example.org/~a?b=1&c=2}}
@techreport{many2003, author = {Bengio, Yoshua and Ducharme, R{\'e}jean and
  van der Vincent, Pascal}, title = {Neural}, institution = {Lab}, type = {Report},
  number = {TR-1}, year = {2003}}
@article{less1, author={X, Y}, title={Last}, journal={J}, volume={2}, year={1}}
"""


@pytest.fixture
def bibliography(tmp_path: Path) -> Bibliography:
    path = tmp_path / "references.bib"
    path.write_text(BIB, encoding="utf-8")
    return read_bibliography(path, "docs/references.bib")


def test_labels_name_one_two_or_many_authors(bibliography: Bibliography) -> None:
    labels = {key: entry.label for key, entry in bibliography.entries.items()}
    assert labels == {
        "one1948": "Shannon 1948",
        "two1995": "Kneser and Ney 1995",
        "many2003": "Bengio et al. 2003",
        "less1": "X 1",
    }


def test_letters_tell_works_of_one_label_apart(tmp_path: Path) -> None:
    path = tmp_path / "r.bib"
    assert read_bibliography(path, "r.bib").entries == {}  # there is no file yet
    work = "@misc{%s, author = {%s}, title = {T}, year = {%s}}\n"
    many = "Mikolov, T and %s, A and B, C"
    path.write_text(
        work % ("m2013b", many % "Sutskever", 2013)
        + work % ("m2013a", many % "Chen", 2013)
        + work % ("m2014", many % "Chen", 2014)
        + work % ("alone2013", "Other, O", 2013)
    )
    found = read_bibliography(path, "r.bib")
    assert {key: entry.label for key, entry in found.entries.items()} == {
        "m2013b": "Mikolov et al. 2013b",
        "m2013a": "Mikolov et al. 2013a",
        "m2014": "Mikolov et al. 2014",
        "alone2013": "Other 2013",
    }
    assert [entry.year for entry in found.entries.values()].count("2013") == 3
    assert "(2013a). <cite>T" in found.page_html({})


def test_latex_is_read_as_text(bibliography: Bibliography) -> None:
    assert bibliography.entries["one1948"].title == "A Mathematical Theory"
    assert bibliography.entries["one1948"].venue == "BSTJ 27(3), 379–423."
    assert bibliography.entries["less1"].venue == "J 2."  # it has no number
    assert bibliography.entries["many2003"].names[1] == "Réjean Ducharme"
    assert bibliography.entries["many2003"].surnames[2] == "van der Vincent"
    assert bibliography.entries["many2003"].venue == "Lab, Report TR-1."


def test_several_are_cited_with_their_places(bibliography: Bibliography) -> None:
    found = bibliography.cited("@one1948, section 3; @two1995", "p.md", 1)
    assert [(e.key, at) for e, at in found] == [
        ("one1948", "section 3"),
        ("two1995", ""),
    ]


@pytest.mark.parametrize("keys", ["@none2000", "@one1948; two1995", "@"])
def test_an_unknown_key_is_refused_with_page_and_line(
    bibliography: Bibliography, keys: str
) -> None:
    with pytest.raises(PageError, match=r"docs/p\.md:7: .*not in docs/references\.bib"):
        bibliography.cited(keys, "docs/p.md", 7)


def test_authors_are_listed_by_their_whole_names(bibliography: Bibliography) -> None:
    page = bibliography.page_html({})
    assert "Claude E. Shannon (1948). <cite>A Mathematical Theory</cite>. BSTJ" in page
    assert "Reinhard Kneser and Hermann Ney (1995)" in page
    three = "Yoshua Bengio, Réjean Ducharme and Pascal van der Vincent (2003)"
    assert f"{three}. <cite>Neural</cite>. Lab, Report TR-1.</li>" in page
    assert '<a href="https://doi.org/10.1002/x">10.1002/x</a>.' in page


def test_the_page_lists_all_by_name_with_links_back(bibliography: Bibliography) -> None:
    page = bibliography.page_html({"two1995": [("N-grams", "../ngram/")]})
    names = ["many2003", "two1995", "one1948", "less1"]
    assert sorted(names, key=lambda key: page.index(f'<li id="{key}">')) == names
    assert '<a class="lb-backlink" href="../ngram/">N-grams</a>' in page
    assert "https://example.org/~a?b=1&amp;c=2" in page


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@article{a, title = {x}", "references.bib:1"),
        ("@article{a, author = {X, Y}, title = {x}}", "`a` needs an author"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "references.bib"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PageError, match=words):
        read_bibliography(path, "docs/references.bib")

"""Explore word vectors, gates and next words in the page."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from lookback import pretrained
from lookback.nplm import nearest
from lookback.word2vec import analogy

from .checks import (
    ASK,
    PHONE,
    PIECE,
    READ,
    TRY,
    axe_violations,
    overflowing,
    refuses_a_long_text,
    start,
    status,
    switches,
)

BEGINS = "A sentence begins"


def nearby(page: Page) -> Locator:
    return page.get_by_role("group", name="Nearest words").get_by_role("button")


def bars(page: Page) -> Locator:
    return page.get_by_role("group", name="The next word").get_by_role("button")


def written(x: float) -> str:
    return f"{x:.2f}".replace("-", "−")


@pytest.mark.parametrize("name", ["word2vec", "glove"])
def test_an_analogy_with_and_without_its_own_words(page: Page, name: str) -> None:
    words, v = pretrained(name).vectors()
    start(page, f"{name}/", ASK)
    expect(page.get_by_label("as c")).to_be_focused()
    found = [
        f"{w}, cosine {written(x)}"
        for w, x in analogy("cat", "cats", "dog", words, v.double(), k=8)
    ]
    for one, label in zip(nearby(page).all(), found, strict=True):
        expect(one).to_have_accessible_name(label)
    expect(status(page)).to_contain_text("If they were allowed, cats 0.9")
    page.get_by_label("leave out the words").uncheck()
    expect(nearby(page).first).to_have_accessible_name(re.compile("cats, cosine"))
    expect(nearby(page).first).to_have_class("lb-own")
    assert page.locator(".lb-plane circle").count() >= 3 + 3 + 1


def test_a_walk_through_neighbours_by_keyboard(page: Page) -> None:
    words, v = pretrained("word2vec").vectors()
    start(page, "word2vec/", ASK)
    page.get_by_role("button", name="Neighbours").press("Enter")
    field = page.get_by_label("word", exact=True)
    expect(page.get_by_label("is to b")).to_be_hidden()
    expect(page.get_by_label("leave out the words")).to_be_hidden()
    field.fill("minister")
    (first, x), *_ = nearest("minister", words, v.double())
    expect(nearby(page).first).to_have_accessible_name(f"{first}, cosine {written(x)}")
    nearby(page).first.press("Enter")
    expect(field).to_have_value(first)
    expect(nearby(page).first).to_be_focused()
    expect(status(page)).to_contain_text(f"Nearest to {first}: ")
    field.fill("minster")
    expect(status(page)).to_contain_text("Nearest to")  # still typing
    field.press("Enter")
    expect(status(page)).to_contain_text(
        "“minster” has no vector here. Did you mean minister"
    )
    assert axe_violations(page, PIECE) == []
    page.get_by_role("button", name="minister", exact=True).click()
    expect(status(page)).to_contain_text("Nearest to minister: ")
    expect(field).to_be_focused()


def test_other_vectors_and_questions_to_pick(page: Page) -> None:
    start(page, "word2vec/", ASK)
    more = page.get_by_role("button", name="Tatoeba")
    expect(more).to_have_text("Tatoeba (940 kB)")
    more.click()
    expect(more).to_have_attribute("aria-pressed", "true")
    expect(more).to_have_text("Tatoeba")
    pick = page.get_by_label("Questions to pick")
    pick.select_option(label="past: go is to went as see is to …")
    expect(status(page)).to_contain_text("go is to went as see is to saw")
    assert axe_violations(page, PIECE) == []


def test_the_next_word_follows_what_is_typed(page: Page) -> None:
    trigrams = pretrained("ngram").network
    start(page, "ngram/", TRY)
    field, words = page.get_by_label(BEGINS), bars(page)
    expect(field).to_be_focused()
    found = page.evaluate("() => window.lookback.next('ngram', ['she', 'does'])")
    assert sum(found.values()) == pytest.approx(1)
    for word in ("not", "sleep", "the"):
        expected = trigrams.score(word, ["she", "does"])
        assert found[word] == pytest.approx(expected, abs=1e-12)
    refuses_a_long_text(page, BEGINS)
    field.fill("she does")
    expect(words.first).to_have_accessible_name("not 98 %")
    expect(status(page)).to_contain_text("After she does: not 98 %")
    words.first.press("Enter")
    expect(field).to_have_value("she does not ")
    page.get_by_label("Temperature").fill("0")
    expect(words).to_have_count(1)
    expect(words.first).to_have_accessible_name(re.compile("100 %"))
    page.get_by_label("Temperature").fill("1")
    page.get_by_label("Top k").fill("3")
    expect(words).to_have_count(3)
    page.get_by_role("button", name="Draw to the end").click()
    expect(status(page)).to_contain_text("she does not ")
    assert axe_violations(page, PIECE) == []
    page.set_viewport_size(PHONE)
    assert overflowing(page) == []


def test_what_top_p_and_a_seed_do_to_gpts_distribution(page: Page) -> None:
    start(page, "gpt/", TRY)
    words, list_ = bars(page), page.get_by_role("group", name="The next word")
    expect(status(page)).to_contain_text("After the laws of the bank: ")
    expect(words).to_have_count(10)
    expect(list_.locator("b")).to_have_count(0)
    page.get_by_label("Top p").fill("0.3")
    left = words.count()
    assert 1 <= left < 10
    expect(list_.locator(".lb-cut")).to_have_count(10 - left)
    expect(list_.locator("b")).to_have_count(10)
    expect(page.get_by_text("words are left")).to_be_visible()
    assert axe_violations(page, PIECE) == []
    page.get_by_label("Top p").fill("1")
    drawn = []
    for seed in "112":  # the same seed draws the same words
        page.get_by_label("seed").fill(seed)
        page.get_by_role("button", name="Start anew").click()
        page.get_by_role("button", name="Draw to the end").click()
        drawn.append(page.get_by_label(BEGINS).input_value())
    assert drawn[0] == drawn[1] != drawn[2]


def test_words_and_heads_of_gpt(page: Page) -> None:
    start(page, "gpt/", TRY)
    text = ["the", "laws", "of", "the", "bank"]
    expect(switches(page)).to_have_text(text)
    model: Any = pretrained("gpt")
    model.network.double()
    before = status(page).inner_text()
    switches(page).nth(1).press("Enter")
    expect(status(page)).to_contain_text("Hidden from attention: laws. After the l")
    with model.hidden("laws"):
        (log_p,) = model.log_probabilities([[*text, "is"]])
    found = page.evaluate(
        "words => window.lookback.next('gpt', words, { hidden: [1] })", text
    )
    assert found["is"] == pytest.approx(np.exp(log_p[5]), abs=1e-10)
    expect(bars(page).first).to_have_accessible_name(re.compile(r"^(?!will 1[56])"))
    page.get_by_label(BEGINS).fill("the laws of the bank that")
    expect(switches(page)).to_have_text([*text, "that"])
    expect(switches(page).nth(1)).to_have_attribute("aria-pressed", "false")
    page.get_by_label(BEGINS).fill("the laws of the bank")
    switches(page).nth(1).press("Enter")
    expect(status(page)).to_have_text(before)
    page.get_by_text("Switch heads off").click()
    page.get_by_role("button", name="Heads: layer 2, head 4").click()
    expect(status(page)).not_to_have_text(before)
    assert axe_violations(page, PIECE) == []


def test_what_each_word_attends_to_in_gpts_heads(page: Page) -> None:
    words = ["the", "ministers", "sleep"]
    learner: Any = pretrained("gpt")
    vocabulary = learner.vocabularies["words"]
    ids = torch.tensor([[vocabulary.start, *vocabulary.ids(words)]])
    with torch.no_grad():
        _, weights, _ = learner.network.eval()(ids)
    maps = {
        "mean of the last layer": weights[-1][0].mean(dim=0),
        "head 1.2": weights[0][0, 1],
        "head 2.1": weights[1][0, 0],
    }
    start(page, "gpt/", TRY)
    page.get_by_label(BEGINS).fill(" ".join(words))
    rows = page.get_by_role("toolbar", name="Attention").get_by_role("button")
    view, read = page.get_by_label("Attention shown"), ["<s>", *words]
    for label, expected in maps.items():
        view.select_option(label)
        expect(rows).to_have_text(read)
        for t, row in enumerate(expected):
            best = int(row.argmax())
            share = f"{round(100 * float(row[best]))} %"
            name = f"{read[t]} attends to {read[best]} {share}"
            expect(rows.nth(t)).to_have_accessible_name(re.compile(re.escape(name)))
    view.press("Tab")
    expect(rows.first).to_be_focused()
    page.keyboard.press("End")
    expect(rows.last).to_be_focused()
    expect(status(page)).to_contain_text("sleep attends to ")
    assert page.locator(".lb-marked text:visible").count() >= 1
    assert axe_violations(page, PIECE) == []
    page.get_by_role("button", name="Start anew").click()
    expect(rows).to_have_text(["<s>"])


def test_gates_word_by_word_by_keyboard(page: Page) -> None:
    start(page, "lstm/", READ)
    field = page.get_by_label(BEGINS)
    expect(field).to_be_focused()
    refuses_a_long_text(page, BEGINS)
    field.fill("the ministers sleep")
    rows = page.get_by_role("toolbar", name="Words").get_by_role("button")
    expect(rows).to_have_text(["<s>", "the", "ministers", "sleep"])
    expect(status(page)).to_contain_text("sleep: forget gate, ")
    rows.first.focus()
    field.press("End")
    page.keyboard.type(" and")
    expect(status(page)).to_contain_text("and: forget gate, ")
    field.fill("the ministers sleep")
    rows.last.focus()
    for key, at in (("Home", 0), ("ArrowDown", 1), ("End", 3), ("ArrowUp", 2)):
        page.keyboard.press(key)
        expect(rows.nth(at)).to_be_focused()
    expect(status(page)).to_contain_text("ministers: forget gate, mean 0.")
    assert rows.evaluate_all("all => all.filter(one => one.tabIndex === 0).length") == 1
    page.get_by_role("button", name="output gate o").click()
    expect(status(page)).to_contain_text("ministers: output gate, mean 0.")
    page.get_by_label("Unit").focus()
    page.keyboard.press("End")
    expect(status(page)).to_contain_text(re.compile("output gate, unit [0-9]+ "))
    page.get_by_role("button", name="GRU").click()
    expect(page.get_by_role("button", name="update gate z")).to_be_visible()
    expect(status(page)).to_contain_text("update gate, ")
    assert axe_violations(page, PIECE) == []

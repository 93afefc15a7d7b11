"""Search the built site: the first result of each term, code, other hosts, phones."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from .checks import PHONE

FIRST = {
    "warm-up": "training/#a-rate-that-rises-and-falls",
    "query key value": "attention/",
    "padding mask": "attention/#masks",
    "multi-head attention": "multihead/",
    "KV cache": "decoder/#what-is-kept-changes-nothing",
    "positional encoding": "positions/",
    "length penalty": "decoding/#sentences-of-different-lengths",
    "GRU": "lstm/",
    "forget gate": "lstm/#the-forget-gates-first-bias",
    "vanishing gradient": "recurrent/#the-gradient-measured",
    "perplexity": "ngram/#perplexity",
    "Kneser–Ney": "ngram/#who-deserves-it-kneserney",
    "distortion": "stack_decoder/",
    "inside–outside": "pcfg/#learns",
    "byte-pair encoding": "bpe/",
    "SentencePiece": "bpe/#family",
    "BLEU": "decoding/#bleu-by-hand",
    "softmax": "glossary/#softmax",
    "continuation count": "ngram/#who-deserves-it-kneserney",
    "Good–Turing": "ngram/#halves",
    "hierarchical softmax": "word2vec/#nce",
    "latent semantic analysis": "glove/",
    "rotary position embedding": "rotary/",
    "ALiBi": "rotary/",
    "grouped-query attention": "grouped/",
    "FlashAttention": "grouped/",
    "RMSNorm": "modern/",
    "TreeLSTM": "recursive/",
    "SENNA": "window/#reported",
    "GPT": "gpt/",
    "in-context learning": "gpt/#context",
    "BERT": "bert/",
    "LayerNorm": "layernorm/",
    "LLM": "gpt/",
    "ChatGPT": "gpt/",
    "what is attention": "attention/",
    "install": "#install",
}
"""Term → the page or the section that should be its first result."""

INPUT, RESULT = ".md-search__input", ".md-search-result__item"
# The best of all results. The first link of an item is its page, even where one of the
# page's sections matched and the page itself did not: such a page scores 0.
BEST = """([...document.querySelectorAll('.md-search-result__item')]
    .flatMap(item => [...item.querySelectorAll('[data-md-score]')])
    .map(e => [parseFloat(e.dataset.mdScore), e.closest('a').href])
    .sort((a, b) => b[0] - a[0])[0] ?? [0, ''])[1]"""
# Set the query to nothing, then to the term, each time until the results follow. A
# frame later all of the first results stand there.
SEARCH = f"""async term => {{
    const box = document.querySelector(".md-search__input");
    const found = () => [...document.querySelectorAll(".md-search-result__item")];
    const frame = () => new Promise(done => requestAnimationFrame(done));
    for (const text of ["", term]) {{
        box.value = text;
        box.dispatchEvent(new KeyboardEvent("keyup", {{ key: "End", bubbles: true }}));
        for (let i = 0; i < 3600 && !found().length === !!text; i++) await frame();
    }}
    await frame();
    const [shown] = found();
    if (!shown) return [false, "", []];
    const links = shown.querySelectorAll(":scope > a");
    return [shown.checkVisibility(), {BEST}, [...links].map(link => link.href)];
}}"""


@pytest.fixture(scope="module")
def search(browser: Browser, base_url: str) -> Iterator[Page]:
    """Open the search once for all terms: its index is large."""
    page = browser.new_page()
    page.goto(f"{base_url}glossary/", wait_until="networkidle")
    page.keyboard.press("/")
    expect(page.locator(INPUT)).to_be_focused()
    yield page
    page.close()


@pytest.mark.parametrize("term", FIRST)
def test_a_term_finds_its_section_first(search: Page, base_url: str, term: str) -> None:
    visible, best, links = search.evaluate(SEARCH, term)
    assert visible
    assert best.removeprefix(base_url) == FIRST[term]
    assert base_url + FIRST[term] in links  # not folded under "more on this page"


WORDS = (
    "alignment", "annotation", "attention", "bottleneck", "decoder", "distortion",
    "dropout", "embedding", "encoder", "gradient", "greedy", "interpolation",
    "recurrent", "perplexity", "positional", "residual", "sinusoidal", "softmax",
    "transformer", "vocabulary",
)  # fmt: skip


@pytest.mark.parametrize("number", range(len(WORDS)))
def test_a_word_with_one_wrong_letter_finds_what_the_word_does(
    search: Page, number: int
) -> None:
    word, random = WORDS[number], Random(number)
    at = random.randrange(len(word))
    letter = random.choice("aeiourstn".replace(word[at], ""))
    added, skipped = random.choice([(letter, 0), (letter, 1), ("", 1)])
    wrong = word[:at] + added + word[at + skipped :]
    _, best, _ = search.evaluate(SEARCH, word)
    search.evaluate(SEARCH, wrong)
    found = search.locator(f"{RESULT} a").evaluate_all("all => all.map(a => a.href)")
    assert best.partition("#")[0] in {link.partition("#")[0] for link in found}, wrong


def test_no_result_is_a_piece_of_code(search: Page) -> None:
    search.evaluate(SEARCH, "import")
    texts = search.locator(".md-search-result__article").all_inner_texts()
    assert texts
    assert [text for text in texts if "import torch" in text] == []


def test_typing_finds_pages_and_asks_no_other_host(page: Page, base_url: str) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto("")
    page.keyboard.press("/")
    page.keyboard.type("perplexity")
    links = page.locator(f"{RESULT} a")
    expect(links.filter(has_text="erplexity").first).to_be_visible()
    paths = links.evaluate_all("links => links.map(link => link.pathname)")
    assert "/ngram/" in paths
    assert not any("/source/" in path for path in paths)
    own = (base_url, "blob:", "data:")
    assert [url for url in requests if not url.startswith(own)] == []


@pytest.mark.browser_context_args(viewport=PHONE)
def test_the_menu_of_a_phone_searches_too(page: Page) -> None:
    page.goto("glossary/")
    page.locator(".md-header__button[for=__search]").click()
    page.locator(INPUT).press_sequentially("beam")
    expect(page.locator(RESULT).first).to_be_visible()

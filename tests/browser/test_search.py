"""The search of the built site: what it finds first, and what it asks for when."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from .windows import Windows

FIRST = {
    "label smoothing": "training/#a-softer-target",
    "warm-up": "training/#a-rate-that-rises-and-falls",
    "Adam": "training/#what-the-gradient-is-measured-by",
    "dropout": "glossary/#dropout",
    "query key value": "attention/",
    "self-attention": "attention/",
    "scaled dot-product attention": "attention/",
    "attention weights": "attention/",
    "padding mask": "attention/#masks",
    "additive attention": "bahdanau/",
    "context vector": "bahdanau/",
    "annotation": "bahdanau/",
    "local attention": "luong/",
    "global attention": "luong/",
    "input feeding": "luong/",
    "multi-head attention": "multihead/",
    "cross-attention": "decoder/",
    "KV cache": "decoder/#what-is-kept-changes-nothing",
    "feed-forward network": "encoder/",
    "positional encoding": "positions/",
    "residual connection": "layernorm/",
    "layer normalisation": "layernorm/",
    "pre-norm": "layernorm/",
    "beam search": "decoding/",
    "greedy decoding": "decoding/",
    "length penalty": "decoding/#sentences-of-different-lengths",
    "teacher forcing": "encdec/",
    "GRU": "lstm/",
    "LSTM": "lstm/",
    "forget gate": "lstm/#the-forget-gates-first-bias",
    "vanishing gradient": "recurrent/#the-gradient-measured",
    "gradient clipping": "recurrent/#exploding-and-the-clip",
    "perplexity": "ngram/#perplexity",
    "Kneser–Ney": "ngram/#who-deserves-it-kneserney",
    "interpolation": "ngram/#ask-the-shorter-context-jelinekmercer",
    "rule-based machine translation": "rules/",
    "statistical machine translation": "stack_decoder/",
    "distortion": "stack_decoder/",
    "hidden Markov model": "hmm/",
    "Viterbi": "hmm/",
    "Baum–Welch": "hmm/#again",
    "probabilistic context-free grammar": "pcfg/",
    "CKY": "pcfg/",
    "inside–outside": "pcfg/#learns",
    "parse tree": "pcfg/",
    "expectation maximisation": "ibm1/",
    "alignment error rate": "ibm1/",
    "phrase table": "phrases/",
    "skip-gram": "word2vec/",
    "negative sampling": "word2vec/",
    "byte-pair encoding": "bpe/",
    "WordPiece": "bpe/#family",
    "SentencePiece": "bpe/#family",
    "bottleneck": "glossary/#bottleneck",
    "autoregressive": "glossary/#autoregressive",
    "BLEU": "decoding/#bleu-by-hand",
    "softmax": "glossary/#softmax",
    "temperature": "decoding/#sampling",
    "top-k": "decoding/#sampling",
    "brevity penalty": "decoding/#bleu-by-hand",
    "continuation count": "ngram/#who-deserves-it-kneserney",
    "Good–Turing": "ngram/#halves",
    "one-hot vector": "nplm/",
    "distributed representation": "nplm/",
    "hierarchical softmax": "word2vec/#nce",
    "noise-contrastive estimation": "word2vec/#nce",
    "analogy": "word2vec/",
    "latent semantic analysis": "glove/",
    "co-occurrence": "glove/",
    "special tokens": "encdec/#from-toy-to-real",
    "RoPE": "rotary/",
    "rotary position embedding": "rotary/",
    "ALiBi": "rotary/",
    "multi-query attention": "grouped/",
    "grouped-query attention": "grouped/",
    "online softmax": "glossary/#softmax",
    "FlashAttention": "grouped/",
    "RMSNorm": "modern/",
    "SwiGLU": "modern/",
    "gated linear unit": "modern/",
    "post-norm": "layernorm/",
    "Naive Bayes": "features/",
    "support vector machine": "features/",
    "hand-engineered features": "features/",
    "part-of-speech tagging": "features/",
    "recursive neural network": "recursive/",
    "TreeLSTM": "recursive/",
    "window approach": "window/",
    "sentence-level likelihood": "window/",
    "SENNA": "window/#reported",
    "GPT": "gpt/",
    "GELU": "gpt/#mathematics",
    "fine-tuning": "gpt/#labels",
    "transfer learning": "gpt/#labels",
    "in-context learning": "gpt/#context",
    "BERT": "bert/",
    "masked language model": "bert/",
    "next-sentence prediction": "bert/",
    "segment embedding": "bert/",
}
"""Term → the page or the section that a reader who types it should find first."""

# The best of all that was found. The first link of an item is its page, even where one
# of the page's sections matched and the page itself did not: such a page scores 0.
BEST = """([...document.querySelectorAll('.md-search-result__item')]
    .flatMap(item => [...item.querySelectorAll('[data-md-score]')])
    .map(e => [parseFloat(e.dataset.mdScore), e.closest('a').href])
    .sort((a, b) => b[0] - a[0])[0] ?? [0, ''])[1]"""


@pytest.fixture(scope="module")
def asked() -> list[str]:
    return []


@pytest.fixture(scope="module")
def page(browser: Browser, base: str, asked: list[str]) -> Iterator[Page]:
    """A desktop's window on a page, whose search nobody has used yet."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page.goto(f"{base}glossary/", wait_until="networkidle")
    yield page
    context.close()


def of_search(asked: list[str]) -> list[str]:
    return [path for path in asked if "search_index" in path or "/workers/" in path]


def test_the_index_is_asked_for_when_the_search_is(
    page: Page, asked: list[str]
) -> None:
    assert "/search.js" in str(asked) and of_search(asked) == []
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    expect(page.locator(".md-search-result__meta")).to_have_text(
        "Type to start searching"
    )
    assert of_search(asked)[0] == "/search/search_index.json"
    assert len(of_search(asked)) == 2


# Typed without a key: a query is sent when one goes up, and what was found before must
# be gone. A frame later all of the first results stand there.
ASK = f"""async term => {{
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


@pytest.mark.parametrize("term", FIRST)
def test_a_term_finds_its_section_first(page: Page, base: str, term: str) -> None:
    if not page.locator(".md-search__input:focus").count():
        page.keyboard.press("/")
    visible, best, links = page.evaluate(ASK, term)
    assert visible
    assert best.removeprefix(base) == FIRST[term]
    assert base + FIRST[term] in links  # not folded away under "more on this page"


def test_no_result_is_a_piece_of_code(page: Page) -> None:
    box = page.locator(".md-search__input")
    for word in ("import", "rows.append", "plt"):
        box.fill(word)
        box.press("End")
        texts = page.locator(".md-search-result__article").all_inner_texts()
        assert not any("import " in text and " as " in text for text in texts)


def test_the_menu_of_a_phone_searches_too(windows: Windows, base: str) -> None:
    with windows.lend(viewport={"width": 390, "height": 844}) as page:
        page.goto(f"{base}glossary/")
        page.locator(".md-header__button[for=__search]").click()
        page.locator(".md-search__input").press_sequentially("beam")
        expect(page.locator(".md-search-result__item").first).to_be_visible()

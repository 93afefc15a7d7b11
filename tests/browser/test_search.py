"""Search the built site: the first result of each term, code, other hosts, phones."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from .checks import PHONE

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
    "mixture of experts": "moe/",
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
    "LayerNorm": "layernorm/",
    "BatchNorm": "layernorm/",
    "LLM": "gpt/",
    "ChatGPT": "gpt/",
    "how to train": "training/",
    "what is attention": "attention/",
    "install": "#install",
    "prerequisites": "#prerequisites",
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

"""TeX becomes MathML that needs no script."""

import pytest

from lookback.engine.tex import to_mathml


def test_an_inline_formula_is_bare_mathml() -> None:
    assert to_mathml("x^2", False) == "<math><msup><mi>x</mi><mn>2</mn></msup></math>"


def test_a_displayed_formula_scrolls_by_itself_and_carries_its_number() -> None:
    markup = to_mathml(r"a = b \tag{4.2}", True)
    assert markup.startswith(
        '<div class="lb-equation" tabindex="0"><math display="block"'
    )
    assert markup.endswith('<span class="lb-eqno">(4.2)</span></div>')


@pytest.mark.parametrize(
    "tex",
    [
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"\mathbb{R}^{d_{\mathrm{model}}}",
        r"\hat{\mathbf{h}}",
        r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
        r"\begin{cases} 1 & \text{if } x \\ 0 & \text{else}\end{cases}",
        r"N_{1+}(\bullet\, w)",
        r"\sum_{i=1}^{n} \log_2 P(w_i \mid w_1^{i-1})",
    ],
)
def test_what_the_book_writes_can_be_set(tex: str) -> None:
    assert "<math" in to_mathml(tex, True)


@pytest.mark.parametrize("tex", [r"\frac{a", r"\nosuch{x}", "a}", r"\left( x"])
def test_tex_that_does_not_parse_is_refused_with_its_text(tex: str) -> None:
    with pytest.raises(ValueError, match="not TeX that we can set") as refusal:
        to_mathml(tex, False)
    assert tex in str(refusal.value)


def test_an_inline_formula_has_no_number() -> None:
    with pytest.raises(ValueError, match="only a displayed formula"):
        to_mathml(r"a \tag{1}", False)


def test_subscripts_of_letters_that_reach_down_stand_as_others_do() -> None:
    low = to_mathml("y_i", display=False)
    assert '<msub><mpadded depth="0"><mi>y</mi></mpadded><mi>i</mi></msub>' in low
    assert "mpadded" not in to_mathml("s_i + y^2", display=False)

"""Prose: what known paragraphs of the manual become, in each version's format."""

from textwrap import dedent

import pytest

from lookback.text.corpora.sphinx_text import sentences, without_markup


def found(page):
    return list(sentences(dedent(page)))


def test_headings_grammar_and_programs_are_dropped():
    page = """\
    The "assert" statement
    **********************

    Assert statements are a convenient way to insert debugging assertions
    into a program:

       assert_stmt ::= "assert" expression ["," expression]

    The simple form is equivalent to

       if __debug__:
           if not expression: raise AssertionError

    Assignments to "__debug__" are illegal.  The value for the built-in
    variable is set when the interpreter starts.
    """
    assert found(page) == [
        "Assert statements are a convenient way to insert debugging assertions into a "
        "program:",
        "Assignments to __debug__ are illegal.",
        "The value for the built-in variable is set when the interpreter starts.",
    ]


def test_the_grammar_of_newer_manuals_is_dropped_too():
    page = """\
    Lambdas
    *******

       lambda_expr: "lambda" [parameter_list] ":" expression

    A rule of the grammar says which of them there are:

       target:     identifier
                   | "(" [target_list] ")"
       old_target: identifier ("," target)*.

    Note:

      A note stands two columns further in than the rest.

    Added in version 3.14: New manuals say added where old ones said new.
    """
    assert found(page) == [
        "A rule of the grammar says which of them there are:",
        "A note stands two columns further in than the rest.",
        "New manuals say added where old ones said new.",
    ]


def test_a_program_may_hold_what_looks_like_prose():
    page = """\
    * This is the first item, and this is an example:

         This line of a program looks a lot like prose.

         So does this one in the same program.

      This paragraph belongs to the item again.

    The following paragraph stands as far in as prose does:

    It is not taken for a program.
    """
    assert found(page) == [
        "This is the first item, and this is an example:",
        "This paragraph belongs to the item again.",
        "The following paragraph stands as far in as prose does:",
        "It is not taken for a program.",
    ]


def test_a_program_ends_where_the_margin_returns():
    page = """\
    A program of two blocks follows here, the second one set in:

       if it.looks("like prose"):

           This line of the program has no mark of a program.

       So has this one in it.

    The prose goes on from here.

    str.method()

       What stands as far in as a program may be prose again.
    """
    assert found(page) == [
        "A program of two blocks follows here, the second one set in:",
        "The prose goes on from here.",
        "What stands as far in as a program may be prose again.",
    ]


def test_items_and_terms_without_blank_lines_are_told_apart():
    page = """\
    * The first item has a sentence.
    * The second item is longer
      than one line of text.

      * An item of an inner list
        is longer than a line, too.
      The outer item then goes on.
    """
    assert found(page) == [
        "The first item has a sentence.",
        "The second item is longer than one line of text.",
        "An item of an inner list is longer than a line, too.",
        "The outer item then goes on.",
    ]


def test_a_sentence_has_four_words_beside_its_code():
    assert found("Four words are enough.") == ["Four words are enough."]
    assert found("Three are few.") == []
    assert found('Here "a[i]" replaces "b[j]" twice.') == []
    assert found('Here "a[i]" always replaces "b[j]" twice.') == [
        "Here <code> always replaces <code> twice."
    ]


def test_lists_after_a_colon_are_prose():
    page = """\
    These are the rules that apply to names:

       * A name must begin with a letter.

       1. A number must begin with a digit.
    """
    assert found(page) == [
        "These are the rules that apply to names:",
        "A name must begin with a letter.",
        "A number must begin with a digit.",
    ]


def test_signatures_tables_and_short_lines_are_dropped():
    page = """\
    object.__new__(cls[, ...])

       Called to create a new instance of class *cls*.

       New in version 3.2.

    +----------+------------+
    | A table of words. And more of those words. |
    +----------+------------+

    See step 7.

    Direct Call
       The simplest call is when user code directly invokes a method.
    """
    assert found(page) == [
        "Called to create a new instance of class cls.",
        "The simplest call is when user code directly invokes a method.",
    ]


@pytest.mark.parametrize(
    "label",
    [
        "Note: ",
        "Note:\n\n      ",
        "Changed in version 3.7: ",
        "Changed in version 3.10.2: ",
        "Added in version 3.13: ",
        "Deprecated since version 3.6, will be removed in version 3.14: ",
        "Deprecated since version 3.6: ",
        "**CPython implementation detail:** ",
        "See also: ",
    ],
)
def test_labels_are_taken_away(label):
    assert found(f"    {label}The old way still works well.") == [
        "The old way still works well."
    ]


def test_markup_is_taken_away():
    assert without_markup(
        'Call "getattr()" on *x*, see **PEP 8** and "not in". [3]'
    ) == ("Call getattr on x, see PEP 8 and not in.")
    assert (
        without_markup('the "x[i:j]" of "s.__class__"') == "the <code> of s.__class__"
    )
    assert without_markup("a * b * c") == "a * b * c"


def test_sentences_end_where_they_end():
    page = """\
    This is it, e.g. Python is it, i.e. It is fast. (See the notes for more.) "None"
    is a name in this text.  Is this a question for you? It says “Yes to all of it.”
    """
    assert found(page) == [
        "This is it, e.g. Python is it, i.e. It is fast.",
        "(See the notes for more.)",
        "None is a name in this text.",
        "Is this a question for you?",
        "It says “Yes to all of it.”",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "The result is x = 3 for each of them.",
        "See https://docs.python.org for more of these words.",
        "other words follow here that belong to nothing.",
        "No full stop ends this line of words",
        "So does C++ and all of its {templates} today.",
        'What "an open quote does in the middle of a sentence.',
    ],
)
def test_what_only_looks_like_prose_is_dropped(line):
    assert found(line) == []

"""Run a book's pages and write them as front matter and Markdown for any builder.

From text to outputs:
    blocks      a page's text → its pieces: code, values, formulas, references
    labs        a notebook in percent format → a page; its cells run in Jupyter
    labels      numbers and ids of equations, figures, tables, exercises
    book        the pages, works, glossary and package of a project, read together
    worker      run the blocks of one page in a process of its own
    output      clean what a block puts out; svg: figures in the colours of the site
    run         processes: several pages at a time, each ended with its children
    opened      which files a page read;  cache: stored runs, and why one is not valid
    background  run pages in a thread while `mkdocs serve` shows the others

From outputs to pages:
    weave       a page → front matter and Markdown, kept until its parts change
    render      its pieces → Markdown with raw HTML; figure, quiz, tex, cite, source
    raw_html    Python-Markdown's extension for that HTML, and exercises in the contents
    glossary    link terms;  paths: what to read before, minutes, the book's paths
    backmatter  the front page, the bibliography, how a page was made
    listings    modules as pages;  live: scripts and weights
    notebook    a page → its notebook, with solutions and without
    search      entries of Material's search index

Doors:
    plugin      MkDocs and Material: no other module imports them
    folder      `lookback weave`: the woven book for other builders
    doctests    pytest
"""

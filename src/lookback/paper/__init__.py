"""The book on paper and on an e-reader, from the pages of a built site.

`pages` takes the text out of a page, `volume` puts pages together, `pdf` and `epub`
write the result: one PDF and one EPUB for each path of mkdocs.yml.
"""

from .epub import write_epub
from .pdf import HOW, find_chromium, write_pdf
from .volume import Volume, paths

__all__ = ["HOW", "Volume", "find_chromium", "paths", "write_epub", "write_pdf"]

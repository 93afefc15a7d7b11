"""A page's Content-Security-Policy: what the browser may load and run, and no more.

The site asks no other host for anything. The policy makes the browser hold it to that:
a script runs if the site serves it, or if it stands in the page and its hash is named.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re

RULES = {
    "default-src": "'self'",  # Firefox fetches the next page ahead by this rule
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "frame-src": "'none'",
    "media-src": "'none'",
    "manifest-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "object-src": "'none'",
}
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL)
_DATA = re.compile(r"""\btype=(?!["']?(?:module|(?:text|application)/javascript)\b)""")
_CHARSET = re.compile(r"<meta charset=[^>]*>")


def policy(page: str) -> str:
    """The policy of a page of HTML, with the hashes of the scripts inside it.

    A script with `src` needs no hash, and neither does one that is data (JSON).
    """
    hashes = dict.fromkeys(
        f"'sha256-{_digest(text)}'"
        for attributes, text in _SCRIPT.findall(page)
        if not re.search(r"\bsrc=", attributes) and not _DATA.search(attributes)
    )
    rules = RULES | {"script-src": " ".join([RULES["script-src"], *hashes])}
    return "; ".join(f"{name} {words}" for name, words in rules.items())


def with_policy(page: str) -> str:
    """The page with its policy in its head, before anything that the policy governs.

    A page without `<meta charset=…>` is returned as it is: it is none of the theme's.
    """
    rule = html.escape(policy(page), quote=True).replace("&#x27;", "'")
    meta = f'<meta http-equiv="Content-Security-Policy" content="{rule}">'
    return _CHARSET.sub(lambda found: f"{found[0]}\n      {meta}", page, count=1)


def _digest(text: str) -> str:
    # A browser hashes the script as it reads it, with the line ends that HTML makes.
    read = text.replace("\r\n", "\n").replace("\r", "\n")
    return base64.b64encode(hashlib.sha256(read.encode()).digest()).decode()

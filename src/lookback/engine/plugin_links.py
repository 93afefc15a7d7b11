"""What MkDocs says of links, and of ports, made into one message that ends a build."""

from __future__ import annotations

import logging
import re
import socket
import sys

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

_LINK_WARNING = re.compile(r"Doc file '([^']+)' contains (?:a|an) .*?link '([^']+)'")
_NAV_WARNING = re.compile(r"A .* to '([^']+)' is included in the 'nav' configuration")


class LinkWarnings(logging.Handler):
    """Hears MkDocs warn of a dead link, which must end the build, with its line."""

    LOGGERS = ("mkdocs.structure.pages", "mkdocs.structure.nav")

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[tuple[str, str, str]] = []  # page ("" is the nav), link, words

    def start(self) -> None:
        self.found.clear()
        for name in self.LOGGERS:
            logger = logging.getLogger(name)
            logger.addHandler(self)
            if not logger.isEnabledFor(logging.WARNING):
                logger.setLevel(logging.WARNING)  # dead links are heard under -q, too

    def stop(self) -> None:
        for name in self.LOGGERS:
            logging.getLogger(name).removeHandler(self)
            logging.getLogger(name).setLevel(logging.NOTSET)

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if match := _LINK_WARNING.search(message):
            self.found.append((match[1], match[2], message))
        elif match := _NAV_WARNING.search(message):
            self.found.append(("", match[1], message))


def line_of(link: str, text: str) -> int:
    """The line of a link's target, however it is written; 1 where it is not found."""
    for written in (f"({link}", f"(<{link}", f"]: {link}", f"]: <{link}", f" {link}"):
        before, found, _ = text.partition(written)
        if found:
            return before.count("\n") + 1
    return 1


def refuse_taken_port(config: MkDocsConfig) -> None:
    """Say at once, before minutes of building, that the port is not to be had."""
    host, port = config.dev_addr
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PluginError(
                f"port {port} of {host} cannot be used ({error.strerror}): another "
                f"program may be serving there. Choose another port with "
                f"`make serve PORT={port + 1}` or `mkdocs serve -a {host}:{port + 1}`"
            ) from None

"""Labs in a MkDocs build: files of Python that are pages."""

from __future__ import annotations

from pathlib import PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

LABS = "labs/*.py"


class Lab(File):
    """A notebook in percent format, of which MkDocs makes a page."""

    def is_documentation_page(self) -> bool:
        return True


def with_labs(files: Files, config: MkDocsConfig) -> Files:
    """The files of a site, of which those in the folder of labs are pages."""
    return Files(
        Lab(
            file.src_uri,
            config.docs_dir,
            config.site_dir,
            config.use_directory_urls,
            inclusion=file.inclusion,
        )
        if PurePosixPath(file.src_uri).match(LABS)
        else file
        for file in files
    )

"""For MkDocs: files outside docs/ that a page links to (rules, examples) become part of the site.

So a link that works in a clone works on the site too. Texts become pages; programs become pages that show
their source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

LINK = re.compile(r"(?<=\]\()(\.\./[^)#\s]+)")
TO_DOCS = re.compile(r"(?<=\]\()docs/([^)\s]+)")  # a link in a text at the root of the project
ADDED = "project/"  # where the site has such files


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add a page for every file that is linked to."""
    for page in list(files.documentation_pages()):
        for _, path in _outside(page.src_uri, page.content_string):
            if files.get_file_from_path(_uri(path)) is None:
                source = Path(config.docs_dir).parent / path
                text = source.read_text(encoding="utf-8")
                shown = text if source.suffix == ".md" else f"# {path}\n\n~~~~python\n{text}~~~~\n"
                added = File.generated(config, _uri(path), content=shown)
                added.inclusion = page.inclusion.NOT_IN_NAV
                files.append(added)


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Make links to such a file, and links from it into docs/, lead to pages of the site."""
    if page.file.src_uri.startswith(ADDED):
        return TO_DOCS.sub(r"../\1", markdown)
    there = dict(_outside(page.file.src_uri, markdown))
    folder = Path(page.file.src_uri).parent.as_posix()
    return LINK.sub(
        lambda found: relpath(_uri(there[found[1]]), folder) if found[1] in there else found[1], markdown
    )


def _outside(page: str, text: str) -> Iterator[tuple[str, str]]:
    """Links of a page that leave docs/, each with the path in the project."""
    for link in LINK.findall(text):
        path = normpath(f"docs/{Path(page).parent.as_posix()}/{link}")
        if not path.startswith(("docs/", "..")):
            yield link, path


def _uri(path: str) -> str:
    return f"{ADDED}{path}" if path.endswith(".md") else f"{ADDED}{path}.md"

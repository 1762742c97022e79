"""How Sphinx makes the documentation site of these files: ``make docs``.

Pages of reference are written from the code into ``docs/reference/`` before anything is read, so they cannot be older
than the code. Every warning is an error (``-W``): a link that leads nowhere, a heading that is gone, a page that no
menu names.
"""

import os
import re
import sys
from html import escape
from pathlib import Path
from textwrap import shorten
from typing import Any

from docutils import nodes

DESCRIPTION_LENGTH = 160  # search engines show about as much
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]
os.environ |= {"SECRET_KEY": "only for documents", "DATABASE_URL": "sqlite://:memory:", "GIT_COMMIT": ""}
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"

project = "Sunwi"
author = project_copyright = "Sunwi's contributors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "watching", "settings.md"]
nitpicky = True

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Examples of JSON leave parts out with "…", and are shown all the same.
suppress_warnings = ["myst.xref_ambiguous", "misc.highlighting_failure"]
# Words that Pygments has no rules for are shown as they are.
highlight_language = "text"

html_theme = "furo"
html_title = "Sunwi"
html_static_path = ["site_static"]
html_css_files = ["site.css"]
html_search_scorer = str(ROOT / "docs/search_scorer.js")
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
# Where the site is served, such as https://docs.example/: pages name it as their address. Empty: they name none.
html_baseurl = os.environ.get("DOCS_URL", "")
templates_path = ["site_templates"]

# Documents of the repository that lie elsewhere, and the page of the site that has them.
ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "reference/changes.md",
    "SECURITY.md": "reference/reporting.md",
    "benchmarks/README.md": "reference/benchmarks.md",
    "docs/decisions": "decisions/README.md",
    "docs/settings.md": "reference/settings.md",
}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def at_home(text: str, page: Path) -> str:
    """Links of ``page`` (its path in the repository) that hold on the site too.

    A document that the site has under another name is linked there; of what it has not (code, configuration), the
    path is named.
    """

    def link(found: re.Match[str]) -> str:
        target, _, anchor = found[3].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return found[0]
        path = os.path.relpath((ROOT / page).parent / target, ROOT)
        here = ELSEWHERE.get(path) or (os.path.relpath(path, "docs") if path.startswith("docs/") else "")
        if not here or ((ROOT / path).is_dir() and path not in ELSEWHERE):
            return f"{found[2]} (`{path}`)" if path not in found[2] else found[2]
        kept = f"#{anchor}" if anchor and path != "README.md" else ""
        shown = os.path.relpath(here, _home_of(page).parent)
        return f"{found[1]}[{found[2]}]({shown}{kept})"

    return LINK.sub(link, text)


def _home_of(page: Path) -> Path:
    return Path(ELSEWHERE.get(str(page), os.path.relpath(page, "docs")))


def _read(_app: Any, name: str, source: list[str]) -> None:
    if not name.startswith("reference/"):
        source[0] = at_home(source[0], Path("docs", f"{name}.md"))


def _write_reference(_app: Any) -> None:
    import django

    django.setup()
    from site_pages import write_all

    folder = ROOT / "docs/reference"
    write_all(folder)
    for path, page in ELSEWHERE.items():
        if page.startswith("reference/") and not path.startswith("docs/"):
            (ROOT / "docs" / page).write_text(at_home((ROOT / path).read_text("utf-8"), Path(path)), "utf-8")


def _describe(_app: Any, name: str, _template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the first paragraph of a page as its description, for search engines and previews of links."""
    text = first_paragraph(doctree)
    if text:
        context["metatags"] = f'{context.get("metatags", "")}<meta name="description" content="{escape(text)}">'
    if name == "404":
        context["pageurl"] = None


def first_paragraph(doctree: Any) -> str:
    """The first paragraph outside of notes and tables in one line, cut at a word; empty where there is none."""
    sections = doctree.findall(nodes.section) if doctree is not None else ()
    found = (each for section in sections for each in section.children if isinstance(each, nodes.paragraph))
    text = " ".join(next((each.astext() for each in found), "").split())
    return shorten(text, DESCRIPTION_LENGTH, placeholder=" …")


def setup(app: Any) -> None:
    """Sphinx calls this."""
    app.connect("html-page-context", _describe)
    app.connect("html-collect-pages", lambda _app: [("404", {"root": html_baseurl or "/"}, "404.html")])
    app.connect("builder-inited", _write_reference)
    app.connect("source-read", _read)

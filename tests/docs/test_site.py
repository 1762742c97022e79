"""Links of the repository's documents lead somewhere, and the site is made of them without warnings."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    *ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/[dgos]*/*.md"), *ROOT.glob("benchmarks/**/README.md"),
    *ROOT.glob("clients/**/*.md"), *ROOT.glob("config/**/*.md"),
]  # fmt: skip  # as a list
LINK = re.compile(r"(?:\]\(|src=\")([^)\s\"]+)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LOADS = re.compile(r'<(?:script|link|img)\b[^>]*?\b(?:src|href)="(https?:|//)[^"]*"')


def anchors(document: Path) -> set[str]:
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```", "", document.read_text("utf-8"), flags=re.M | re.S), re.M
    )
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", each) for each in headings]
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in plain}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_document_leads_somewhere(document: Path) -> None:
    lost = []
    for target in LINK.findall(CODE.sub("", document.read_text("utf-8"))):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (document.parent / path) if path else document
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            lost.append(target)
    assert lost == []


def test_every_decision_is_in_the_index_under_its_own_title() -> None:
    folder = ROOT / "docs/decisions"
    rows = re.findall(r"^\| \d+ \| \[(.+)\]\((\d{4}-[\w-]+\.md)\) \|$", (folder / "README.md").read_text("utf-8"), re.M)
    index = dict(rows)

    titles = {each.name: each.read_text("utf-8").split("\n", 1)[0] for each in folder.glob("0*.md")}

    assert {f"# {name[:4]}: {title}": name for title, name in index.items()} == {
        title: name for name, title in titles.items()
    }


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The site, made once for all workers of this run: whoever comes first makes it, under a lock."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "site"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "objects.inv").exists():  # its last file
            build(folder)
    return folder


def build(folder: Path) -> None:
    command = (sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--builder", "html", "docs", folder)
    ended = subprocess.run(
        command, cwd=ROOT, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("redis down", "operations/faults"), ("redis away", "operations/faults"),
        ("postgresql down", "operations/faults"), ("rolling restart", "operations/"), ("request id", "operations/"),
    ],
)  # fmt: skip  # as a table
def test_who_searches_for_a_fault_finds_operations_and_no_decision_before(
    browser: Browser, site: Path, words: str, page: str
) -> None:
    found = browser.new_page()
    found.goto(f"file://{site}/search.html?q={words.replace(' ', '+')}")
    expect(found.locator(".search-summary")).to_contain_text("found", timeout=20_000)
    first = [link.get_attribute("href") or "" for link in found.locator("#search-results ul.search > li > a").all()[:4]]
    found.close()

    assert first[0].startswith(page), first
    assert not [link for link in first if link.startswith(("decisions/0", "reference/changes"))]


@pytest.mark.long
def test_the_site_is_made_without_warnings_and_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = [*site.glob("**/*.html")]
    assert len(pages) > 100
    assert {
        str(page): LOADS.findall(page.read_text("utf-8")) for page in pages if LOADS.search(page.read_text("utf-8"))
    } == {}
    assert (site / "reference/settings.html").exists()
    assert "AUDIT_KEEP_DAYS" in (site / "reference/settings.html").read_text("utf-8")


# Widths at which the theme changes its columns (46, 48, 63, 67, 82 and 97 em), their neighbours, and those of screens.
WIDTHS = (
    320, 360, 390, 480, 640, 735, 737, 767, 769, 900, 1007, 1009, 1024, 1071, 1073, 1100, 1215, 1280, 1311, 1313, 1366,
    1440, 1535, 1553, 1600, 1920,
)  # fmt: skip  # as a list
STICKS_OUT = """() => {
    const shown = [...document.querySelectorAll('.content, .content article > section > *, .toc-drawer')];
    const out = shown.filter((each) => getComputedStyle(each).position !== 'fixed')
        .filter((each) => each.getBoundingClientRect().right > innerWidth + 1);
    return [document.documentElement.scrollWidth > innerWidth, ...out.map((each) => each.tagName)];
}"""  # what is fixed waits beside the screen until its button is pressed


@pytest.mark.long
def test_at_no_width_of_a_window_is_text_or_a_menu_cut_off(browser: Browser, site: Path) -> None:
    page = browser.new_page()
    cut = {}
    for name in ("tutorial", "reference/settings"):
        page.goto(f"file://{site}/{name}.html")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            if (found := page.evaluate(STICKS_OUT)) != [False]:
                cut[name, width] = found
    page.close()

    assert cut == {}


@pytest.mark.long
def test_pages_describe_themselves_and_name_no_address_that_nobody_gave(site: Path) -> None:
    described = {}
    for page in ("index", "boards", "operations/faults", "reference/settings", "decisions/0084-the-documentation-site"):
        text = (site / f"{page}.html").read_text("utf-8")
        [described[page]] = re.findall(r'<meta name="description" content="([^"]+)"', text)
        assert 'rel="canonical"' not in text

    assert len(set(described.values())) == len(described)
    assert max(map(len, described.values())) <= 200  # 160 signs, some of them escaped


@pytest.mark.long
def test_an_address_that_does_not_exist_has_a_page_of_its_own(site: Path) -> None:
    page = (site / "404.html").read_text("utf-8")

    assert 'href="/index.html"' in page
    assert 'content="noindex"' in page
    assert "<script" not in page

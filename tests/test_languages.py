"""Korean is complete: whatever makemessages would find has a sentence, in the catalogue that is read and in its source.

Sentences are found by Python's and Django's own parsers, so no gettext tools are needed. The trap: a call inside an
f-string is a sentence for Python and none for gettext; such a one shows up here as missing.
"""

import ast
import re
from collections.abc import Iterator
from gettext import GNUTranslations
from pathlib import Path

from django.utils.translation.template import templatize

ROOT = Path(__file__).parent.parent
APPS = ("competitions", "config", "foundation", "leaderboards", "likes")
CATALOGUE = ROOT / "locale" / "ko" / "LC_MESSAGES" / "django.po"
MARKS = {"gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"}
MARKS |= {"npgettext", "npgettext_lazy"}
CALL_IN_TEMPLATE = re.compile(r"""\b(n?p?gettext|_)\(((?:u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:,\s*)?)+)""")
FIELD = re.compile(r'(?:([a-z_\[\]0]+) )?(".*")')
PLACE = re.compile(r"%\((\w+)\)")

Key = str | tuple[str, int]


def key_of(mark: str, texts: list[str]) -> Key:
    """As gettext keeps it: a context goes before the sentence, a plural's first form has a number."""
    mark = mark.removesuffix("_lazy").removesuffix("_noop")
    sentence = f"{texts[0]}\4{texts[1]}" if "pgettext" in mark else texts[0]
    return (sentence, 0) if mark.startswith("n") else sentence


def marked_in_python(source: str) -> Iterator[Key]:
    tree = ast.parse(source)
    names = {
        each.asname or each.name: each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        for each in node.names
        if each.name in MARKS
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if texts:
                yield key_of(names[node.func.id], texts)


def marked_in_template(source: str) -> Iterator[Key]:
    for call in CALL_IN_TEMPLATE.finditer(templatize(source)):
        yield key_of(call[1], list(ast.literal_eval(f"({call[2]},)".replace(",,", ",").replace(", ,", ","))))


def marked() -> set[Key]:
    """Every sentence of the product that is marked for translation."""
    code = [each for app in APPS for each in (ROOT / app).rglob("*.py")]
    templates = [each for kind in ("*.html", "*.txt") for each in (ROOT / "templates").rglob(kind)]
    found = {key for each in code for key in marked_in_python(each.read_text(encoding="utf-8"))}
    return found | {key for each in templates for key in marked_in_template(each.read_text(encoding="utf-8"))}


def written() -> dict[Key, str]:
    """What the source of the catalogue says."""
    entries = CATALOGUE.read_text(encoding="utf-8").split("\n\n")[1:]
    return dict(read_entry(entry) for entry in entries)


def read_entry(entry: str) -> tuple[Key, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in entry.splitlines():
        if not line.startswith("#"):
            found = FIELD.fullmatch(line)
            assert found, line
            name = found[1] or name
            fields[name] = fields.get(name, "") + ast.literal_eval(found[2])
    sentence = f"{fields['msgctxt']}\4{fields['msgid']}" if "msgctxt" in fields else fields["msgid"]
    return ((sentence, 0), fields["msgstr[0]"]) if "msgid_plural" in fields else (sentence, fields["msgstr"])


def compiled() -> dict[Key, str]:
    """What is read when the site runs."""
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        return dict(vars(GNUTranslations(file))["_catalog"])


def has(catalogue: dict[Key, str], key: Key) -> bool:
    """A sentence without plural also finds the first form of one with."""
    return bool(catalogue.get(key) or (isinstance(key, str) and catalogue.get((key, 0))))


def test_every_marked_sentence_is_said_in_korean() -> None:
    wanted, korean = marked(), compiled()

    left = {key for key in wanted if not has(korean, key)}

    assert len(wanted) > 800
    assert left == set()


def test_the_catalogue_that_is_read_is_the_one_that_was_written() -> None:
    read = compiled()
    read.pop("")

    assert read == written()


def test_korean_fills_in_what_english_fills_in() -> None:
    astray = {
        key: korean
        for key, korean in written().items()
        if set(PLACE.findall(key if isinstance(key, str) else key[0])) != set(PLACE.findall(korean))
    }

    assert astray == {}


def test_a_sentence_is_found_however_it_is_marked() -> None:
    code = (
        "from django.utils.translation import gettext_lazy as _lazy, ngettext, pgettext\n"
        "a, b, c = _lazy('one' ' two'), ngettext('%(n)s tree', '%(n)s trees', n), pgettext('a month', 'May')\n"
        "d = f\"{_lazy('inside')}\""
    )
    page = (
        '{% load i18n %}{% translate "Out" context "a ball" %}{% blocktranslate %}Hi {{ you }}{% endblocktranslate %}'
    )

    assert set(marked_in_python(code)) == {"one two", ("%(n)s tree", 0), "a month\4May", "inside"}
    assert set(marked_in_template(page)) == {"a ball\4Out", "Hi %(you)s"}

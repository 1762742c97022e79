"""Korean is complete: whatever makemessages would find has a sentence, in the catalogue that is read and in its source.

Sentences are found by Python's and Django's own parsers, so no gettext tools are needed. The trap: a call inside an
f-string is a sentence for Python and none for gettext; such a one is refused here.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from gettext import GNUTranslations
from pathlib import Path

import pytest
from django.utils.translation import gettext, ngettext, override
from django.utils.translation.template import templatize

from foundation.messages import Message
from foundation.translate import translated
from leaderboards.core.input.entries import read_player
from leaderboards.errors import BadPlayer

ROOT = Path(__file__).parent.parent
APPS = ("accounts", "competitions", "config", "foundation", "leaderboards", "likes")
CATALOGUE = ROOT / "locale" / "ko" / "LC_MESSAGES" / "django.po"
MARKS = {"Message", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"}
MARKS |= {"npgettext", "npgettext_lazy"}
MODULES = ("django.utils.translation", "foundation.messages")  # of the marks
CALL_IN_TEMPLATE = re.compile(r"""\b(n?p?gettext|_)\(((?:u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:,\s*)?)+)""")
FIELD = re.compile(r'(?:([a-z_\[\]0]+) )?(".*")')
PLACE = re.compile(r"%\((\w+)\)")

Key = str | tuple[str, int]


def key_of(mark: str, texts: list[str]) -> Key:
    """As gettext keeps it: a context goes before the sentence, a plural's first form has a number."""
    mark = mark.removesuffix("_lazy").removesuffix("_noop")
    sentence = f"{texts[0]}\4{texts[1]}" if "pgettext" in mark else texts[0]
    return (sentence, 0) if mark.startswith("n") else sentence


@cache
def trees() -> dict[Path, ast.Module]:
    """The product's code."""
    files = [each for app in APPS for each in (ROOT / app).rglob("*.py")]
    return {each: ast.parse(each.read_text(encoding="utf-8")) for each in files}


def marked_in_python(tree: ast.Module) -> Iterator[Key]:
    nodes = list(ast.walk(tree))
    names = {
        each.asname or each.name: each.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module in MODULES
        for each in node.names
        if each.name in MARKS
    }
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if texts:
                yield key_of(names[node.func.id], texts)


def test_no_sentence_is_marked_inside_an_f_string() -> None:
    marks = {"_", *MARKS}
    hidden = {
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, tree in trees().items()
        for text in ast.walk(tree)
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in marks
    }

    assert hidden == set()


def marked_in_template(source: str) -> Iterator[Key]:
    for call in CALL_IN_TEMPLATE.finditer(templatize(source)):
        yield key_of(call[1], list(ast.literal_eval(f"({call[2]},)".replace(",,", ",").replace(", ,", ","))))


def marked() -> set[Key]:
    """Every sentence of the product that is marked for translation."""
    templates = [each for kind in ("*.html", "*.txt") for each in (ROOT / "templates").rglob(kind)]
    found = {key for tree in trees().values() for key in marked_in_python(tree)}
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


def test_every_marked_sentence_is_said_in_korean_as_it_was_written() -> None:
    wanted, korean = marked(), compiled()
    korean.pop("")

    left = {key for key in wanted if not (korean.get(key) or (isinstance(key, str) and korean.get((key, 0))))}

    assert len(wanted) > 800
    assert left == set()
    assert korean == written()


def test_korean_fills_in_what_english_fills_in() -> None:
    astray = {
        key: korean
        for key, korean in written().items()
        if set(PLACE.findall(key if isinstance(key, str) else key[0])) != set(PLACE.findall(korean))
    }

    assert astray == {}


def test_a_message_is_marked_as_one_text_with_the_values_that_it_names() -> None:
    astray = set()
    for path, tree in trees().items():
        for call in (each for each in ast.walk(tree) if isinstance(each, ast.Call)):
            if isinstance(call.func, ast.Name) and call.func.id == "Message" and path.name != "translate.py":
                [text] = call.args
                named = {each.arg for each in call.keywords}
                if not isinstance(text, ast.Constant) or set(PLACE.findall(str(text.value))) != named:
                    astray.add(f"{path.relative_to(ROOT)}:{call.lineno}")

    assert astray == set()


@pytest.mark.parametrize(
    ("detail", "english", "korean"),
    [
        (
            Message("Period %(period)s is closed.", period="2026-11-20"),
            "Period 2026-11-20 is closed.",
            "2026-11-20 기간은 마감되었습니다.",
        ),
        (
            Message(
                "It would run too long, choose an earlier end: %(why)s",
                why=Message("`decimals` is 0 to %(most)s.", most=6),
            ),
            "It would run too long, choose an earlier end: `decimals` is 0 to 6.",
            "기간이 너무 길어집니다. 더 이른 종료 시각을 고르세요: `decimals`는 0–6입니다.",
        ),
        ("Nobody has written this one.", "Nobody has written this one.", "Nobody has written this one."),
    ],
)
def test_a_refusal_is_told_in_korean_with_what_it_names_and_stays_english_for_programs(
    detail: str, english: str, korean: str
) -> None:
    with override("ko"):
        told = translated(detail)

    with override("en"):
        assert translated(detail) == detail == english
    assert told == korean


def test_a_refusal_is_translated_from_its_template_whatever_its_values_say() -> None:
    """A value that contains another sentence, or what looks like a placeholder, is not taken for a text of ours."""
    with pytest.raises(BadPlayer) as refused, override("ko"):
        read_player("%(most)s is closed." * 9)

    assert isinstance(refused.value.detail, Message)
    assert refused.value.detail.template == "`player` has %(number)s characters; 1 to %(most)s are allowed."
    with override("ko"):
        assert translated(
            Message("%(player)s has no standing in this period.", player="Period 1 is closed.")
        ).startswith("Period 1 is closed.")


def test_korean_has_one_word_for_a_reason_for_a_board_and_for_what_is_voided_and_restored() -> None:
    said = " ".join(re.findall(r'"(.*[가-힣].*)"', CATALOGUE.read_text(encoding="utf-8")))

    assert "이유" not in said  # 사유
    assert not re.search(r"(?<![가-힣])보드", said)  # 순위표
    assert "점수 무효" not in said  # 기록 무효, as 기록 복원


def test_korean_sentences_that_stand_beside_others_are_whole() -> None:
    with override("ko"):
        assert gettext("You are in <bdi>%(team)s</bdi>.").endswith("있습니다.")
        best = ngettext("The best of %(number)s team", "The best of %(number)s teams", 2)
        assert best % {"number": 2} == "2팀 중 상위 팀"

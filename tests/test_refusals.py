"""What is refused is told in the reader's language where people read it, and stays English for programs."""

import ast
from pathlib import Path

import pytest
from django.utils.translation import override

from competitions import refusals
from leaderboards.refusals import pattern

APPS = ("competitions", "foundation", "leaderboards")


def literals() -> set[str]:
    """Every text of the product's code, with a number in the place of what is filled in."""
    root = Path(__file__).parent.parent
    sources = [each for app in APPS for each in (root / app).rglob("*.py") if each.name != "refusals.py"]
    return {text for each in sources for text in texts(ast.parse(each.read_text(encoding="utf-8")))}


def texts(tree: ast.AST) -> set[str]:
    found = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return found | {joined(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)}


def joined(text: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in text.values)


def test_every_sentence_that_is_recognised_is_raised_somewhere() -> None:
    raised = literals()

    patterns = {each: pattern(each) for each in refusals.SENTENCES}

    assert [each for each, known in patterns.items() if not any(map(known.fullmatch, raised))] == []


@pytest.mark.parametrize(
    ("detail", "korean"),
    [
        ("The new end lies in the past.", "새 종료 시각이 이미 지났습니다."),
        ("Period 2026-11-20 is closed.", "2026-11-20 기간은 마감되었습니다."),
        (
            "It would run too long, choose an earlier end: `decimals` is 0 to 6.",
            "기간이 너무 길어집니다. 더 이른 종료 시각을 고르세요: `decimals`는 0–6입니다.",
        ),
        ("Nobody has written this one.", "Nobody has written this one."),
    ],
)
def test_a_refusal_is_told_in_korean_with_what_it_names(detail: str, korean: str) -> None:
    with override("ko"):
        told = refusals.translated(detail)

    with override("en"):
        assert refusals.translated(detail) == detail
    assert told == korean

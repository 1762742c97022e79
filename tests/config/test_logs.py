"""A warning that comes each second is written at once, then ever less often, with how often it came."""

import logging

import pytest

from config.logs import FORGOTTEN_AFTER, PAUSES, SaidBefore, UtcFormatter

AT = 1_772_625_600.0  # 2026-03-04 12:00:00 UTC


def written(log: SaidBefore, second: float, words: str = "Redis is away.", level: int = logging.WARNING) -> str:
    """What is written of a line that comes then, or nothing."""
    record = logging.LogRecord("leaderboards", level, "", 0, "period %s: %s", ("1/2026-10", words), None)
    record.created = AT + second
    return record.getMessage() if log.filter(record) else ""


def test_the_same_words_each_second_are_written_ever_less_often_with_how_often_they_came() -> None:
    log = SaidBefore()

    lines = {second: line for second in range(800) if (line := written(log, second))}

    first, second, third, fourth = 0, PAUSES[0], sum(PAUSES[:2]), sum(PAUSES)
    assert [*lines] == [first, second, third, fourth, fourth + PAUSES[2]]
    assert lines[0] == "period 1/2026-10: Redis is away."
    assert lines[10] == "period 1/2026-10: Redis is away. (10 times more since 12:00:00)"
    assert lines[70].startswith("period 1/2026-10: Redis is away. (70 times more since ")


def test_other_words_and_errors_are_written_at_once() -> None:
    log = SaidBefore()
    written(log, 0)

    assert written(log, 1, "Redis is full.")
    assert all(written(log, second, level=logging.ERROR) for second in (1, 2))
    assert not written(log, 3)


@pytest.mark.parametrize(("quiet", "is_news"), [(PAUSES[0] + FORGOTTEN_AFTER - 1, False), (120.0, True)])
def test_what_comes_again_after_a_while_is_news(quiet: float, is_news: bool) -> None:
    log = SaidBefore()
    written(log, 0)

    assert ("times more" not in written(log, quiet)) is is_news


@pytest.mark.parametrize("page", ["reset/MTE", "sign-up", "email", "invitations"])
def test_the_end_of_a_link_from_a_mail_is_in_no_line(page: str) -> None:
    record = logging.LogRecord(
        "django.request", logging.WARNING, "", 0, "Not Found: %s", (f"/accounts/{page}/s3cr/",), None
    )

    line = UtcFormatter("{message}", style="{").format(record)

    assert line == f"Not Found: /accounts/{page.partition('/')[0]}/***"

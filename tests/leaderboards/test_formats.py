"""Numbers, durations and dates as people read them."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.utils import translation

from leaderboards import formats
from leaderboards.core.periods import window_of
from leaderboards.models import Board
from leaderboards.selectors import PeriodInfo


@pytest.mark.parametrize(
    ("settings", "value", "text", "sentence"),
    [
        ({}, 1, "1", "1 point"),
        ({}, 12345, "12,345", "12,345 points"),
        ({"decimals": 2}, Decimal("12.5"), "12.50", "12.50 points"),
        ({"decimals": 1}, Decimal("12.345"), "12.345", "12.345 points"),
        ({"format": "kcal"}, -300, "-300", "-300 kcal"),
        ({"unit": "kilometres", "decimals": 1}, 3, "3.0", "3.0 km"),
        ({"unit": "seconds"}, 3725, "1:02:05", "1:02:05"),
        ({"unit": "seconds", "decimals": 2}, Decimal("59.5"), "0:59.50", "0:59.50"),
        ({"unit": "milliseconds"}, -61250, "-1:01.250", "-1:01.250"),
        ({"unit": "milliseconds", "decimals": 1}, Decimal("999.5"), "0:00.9995", "0:00.9995"),
    ],
)
def test_points_are_spelt_by_unit_and_decimals_and_a_sentence_names_the_unit(
    settings: dict[str, object], value: formats.Number, text: str, sentence: str
) -> None:
    board = Board(**settings)

    assert (formats.points(board, value), formats.points_with_unit(board, value)) == (text, sentence)


@pytest.mark.parametrize(
    ("settings", "apart", "text", "sentence"),
    [
        ({}, 12, "12", "12 points"),
        ({"unit": "milliseconds"}, 297, "0.297", "0.297 s"),
        ({"unit": "milliseconds"}, 59_999, "59.999", "59.999 s"),
        ({"unit": "milliseconds"}, 60_000, "1:00.000", "1:00.000"),
        ({"unit": "seconds", "decimals": 1}, Decimal("4.5"), "4.5", "4.5 s"),
        ({"unit": "seconds"}, 3725, "1:02:05", "1:02:05"),
    ],
)
def test_a_gap_of_less_than_a_minute_is_in_seconds(
    settings: dict[str, object], apart: formats.Number, text: str, sentence: str
) -> None:
    board = Board(**settings)

    assert (formats.gap(board, apart), formats.gap(board, apart, with_unit=True)) == (text, sentence)


@pytest.mark.parametrize(
    ("language", "name", "apart", "text"),
    [
        ("en", "stage", 14, "14 stages"),
        ("en", "stage", 1, "1 stage"),
        ("en", "boss_victory", 2, "2 boss victories"),
        ("en", "members", 3, "3 members"),
        ("en", "match", 1200, "1,200 matches"),
        ("en", "xp", 5, "5 xp"),
        ("ko", "stage", 14, "14 stage"),
    ],
)
def test_a_distance_in_a_criterion_is_a_number_and_its_word(language: str, name: str, apart: int, text: str) -> None:
    with translation.override(language):
        assert formats.named_distance(name, apart) == text


def test_time_left_has_its_two_greatest_units_and_ordinals_end_as_they_are_spoken() -> None:
    left = {0: "0 s", 59: "59 s", 60: "1 min 0 s", 3599: "59 min 59 s", 3600: "1 h 0 min", 93_600: "1 d 2 h"}
    ordinals = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 113: "113th", 1021: "1,021st"}

    assert {seconds: formats.time_left(seconds) for seconds in left} == left
    assert {rank: formats.ordinal(rank) for rank in ordinals} == ordinals


@pytest.mark.parametrize(
    ("period", "label", "english", "korean"),
    [
        ("day", "2026-11-21", "Sat 21 Nov", "11월 21일 (토)"),
        ("day", "2025-11-21", "Fri 21 Nov 2025", "2025년 11월 21일 (금)"),
        ("week", "2026-47", "16–22 Nov", "11월 16–22일"),
        ("week", "2026-44", "26 Oct – 1 Nov", "10월 26일 – 11월 1일"),
        ("week", "2025-47", "17–23 Nov 2025", "2025년 11월 17–23일"),
        ("month", "2026-11", "November 2026", "2026년 11월"),
        ("year", "2026", "2026", "2026"),
        ("all_time", "all", "", ""),
    ],
)
def test_periods_are_told_by_their_days_and_times_on_the_boards_clock(
    period: str, label: str, english: str, korean: str
) -> None:
    board = Board(period=period, timezone="Asia/Seoul")
    window = window_of(board.calendar, label)
    shown = PeriodInfo(label, window.starts_at, window.ends_at, "open")

    with translation.override("ko"):
        in_korean = formats.period_dates(board, shown, date(2026, 11, 21))

    assert (formats.period_dates(board, shown, date(2026, 11, 21)), in_korean) == (english, korean)
    at = datetime(2026, 11, 20, 16, 30, 5, tzinfo=UTC)
    assert formats.moment(at, "Asia/Seoul") == "Sat 21 Nov, 01:30"
    assert formats.time_of_day(at, "Asia/Kathmandu") == "22:15:05"

"""Criteria of a board as rows of its form: added, removed, moved and refused, without JavaScript and without JSON."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from leaderboards.models import Board, Period
from tests.leaderboards.admin.typed import ADD, PREVIEW, change, make_board, page, settings, typed_from

pytestmark = pytest.mark.django_db(transaction=True)
STAGE = {"name": "stage", "max": 32750, "order": "desc"}
MEMBERS = {"name": "members", "max": 255, "order": "asc"}
FIRST = {"name": "achieved_at", "unit": "s", "order": "asc"}


def rows(*typed: dict[str, str], **more: Any) -> dict[str, Any]:
    """A board's form with these rows of criteria."""
    fields = {name: text for name, text in settings(**more).items() if name != "criteria"}
    return fields | row_fields(*typed)


def row_fields(*typed: dict[str, str]) -> dict[str, str]:
    named = {f"criteria-{nth}-{part}": text for nth, row in enumerate(typed) for part, text in row.items()}
    return {"criteria-rows": str(len(typed)), **named}


def row(name: str, most: str, order: str = "desc", **more: str) -> dict[str, str]:
    return {"kind": "number", "name": name, "max": most, "order": order, **more}


TIME = {"kind": "s", "name": "", "max": "", "order": "asc"}


def shown(html: str) -> list[tuple[str, str]]:
    """Names and greatest values of the rows in which something stands."""
    found = re.findall(
        r'name="criteria-\d+-name" value="([^"]*)".*?name="criteria-\d+-max" value="([^"]*)"', html, re.DOTALL
    )
    return [each for each in found if any(each)]


def refused(answer: Any) -> str:
    assert answer.status_code == 200
    return " ".join(answer.context["adminform"].form.errors["criteria"])


def test_rows_make_criteria_in_the_order_of_their_positions_and_blank_ones_count_for_nothing(admin: Client) -> None:
    answer = admin.post(
        ADD,
        rows(
            TIME | {"place": "3"},
            row("members", "255", "asc", place="2"),
            row("stage", "32,750", place="1"),
            row("", ""),
        ),
    )

    assert answer.status_code == 302
    assert [{**each} for each in Board.objects.get().criteria] == [STAGE, MEMBERS, FIRST]


def test_a_removed_row_is_gone_and_without_any_the_board_ranks_by_points(admin: Client) -> None:
    one, none = (row("stage", "9", off="1"), row("members", "255", "asc")), (row("stage", "9", off="1"),)

    for nth, typed in enumerate((one, none)):
        assert admin.post(ADD, rows(*typed, name=f"Board {nth}")).status_code == 302

    assert [board.criteria for board in Board.objects.order_by("seq")] == [[MEMBERS], []]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ((row("", "9"),), "Row 1: give the criterion a name"),
        ((row("stage", ""),), "Row 1: the greatest value of stage is a whole number from 1 on."),
        ((row("a", "9"), row("stage", "many")), "Row 2: the greatest value of stage"),
        ((row("stage", "0"),), "at least 1"),
        ((row("1st", "9"),), "starts with no digit"),
        ((row("a", "9"), row("a", "8")), "listed twice"),
        ((row("achieved_at", "9"),), "choose when it was achieved"),
        ((TIME,), "alone ranks nothing"),
        ((row("a", "9", place="first"),), "Row 1: the position is a whole number."),
    ],
)
def test_what_cannot_be_is_refused_with_its_row_and_stays_as_typed(
    admin: Client, typed: tuple[dict[str, str], ...], said: str
) -> None:
    answer = admin.post(ADD, rows(*typed))

    assert said in refused(answer)
    assert [
        name for name, _most in shown(answer.content.decode()) if name not in {each["name"] for each in typed}
    ] == []
    assert not Board.objects.exists()


def test_a_stored_board_shows_its_rows_and_saving_them_changes_nothing_also_of_one_with_bits(admin: Client) -> None:
    board = make_board(criteria=[{"name": "stage", "bits": 15, "order": "desc"}, FIRST])
    form = page(admin, change(board))
    assert re.findall(r'name="criteria-\d+-name" value="([^"]*)"', form)[:2] == ["stage", ""]
    assert 'name="criteria-0-max" value="32767"' in form
    typed = {name: text for name, text in typed_from(board, name="Renamed").items() if name != "criteria"}

    looked = admin.post(change(board), typed | row_fields(row("stage", "32767"), TIME))

    assert [each.setting for each in looked.context["foreseen"]["rows"]] == ["Name"]
    assert "criteria" not in looked.context["adminform"].form.changed_data


def test_an_all_time_board_shows_fixed_rows(admin: Client) -> None:
    board = make_board(period="all_time", criteria=[STAGE])

    form = page(admin, change(board))

    assert re.search(r'name="criteria-0-name" value="stage"[^>]* disabled', form)
    assert "data-add" not in form
    assert "criteria-1-name" not in form


def asked(admin: Client, *typed: dict[str, str], language: str = "en", **more: str) -> str:
    answer = admin.post(PREVIEW, rows(*typed, **more), headers={"Accept-Language": language})
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


@pytest.mark.parametrize(
    ("typed", "changed", "said"),
    [
        (
            (),
            {"total_maximum": "1000000", "maximum": "1000000"},
            "Up to 1,000,000 points; ties by time, to the millisecond. It fits",
        ),
        ((), {"tie_break": "score"}, "Up to 2,147,483,647 points; ties by time, to the second. It fits."),
        ((), {"minimum": "-5", "maximum": "9", "total_maximum": "9"}, "From -5 points to 9 points; ties by time"),
        ((), {"unit": "milliseconds", "maximum": "3600000", "total_maximum": "3600000"}, "Up to 1:00:00.000; ties"),
        (
            (row("stage", "32750"), TIME),
            {},
            "stage up to 32,750; the time of achieving counts, to the second. It fits.",
        ),
        ((row("stage", "32750"),), {"ties": "shared"}, "stage up to 32,750; equals share a rank (1 1 3). It fits."),
        (
            (row("a", str(2**40 - 1)), row("b", str(2**30 - 1))),
            {"ties": "shared"},
            "a up to 1,099,511,627,775, b up to 1,073,741,823: does not fit: the greatest values, multiplied, are 128 "
            "times too large for one score. Lower them, or let time break ties.",
        ),
        (
            (),
            {"tie_break": "score", "total_maximum": "1099511627776"},
            "does not fit: 41 bits of points",
        ),
    ],
)
def test_the_preview_says_in_words_what_a_score_holds(
    admin: Client, typed: tuple[dict[str, str], ...], changed: dict[str, str], said: str
) -> None:
    assert said in asked(admin, *typed, **changed)


def test_it_says_so_in_korean_too(admin: Client) -> None:
    told = asked(admin, row("stage", "32750"), TIME, language="ko")

    assert "stage 최대 32,750" in told
    assert not [word for word in ("up to", "It fits", "achieving") if word in told]


def test_a_period_tells_its_rules_in_words_with_durations(admin: Client) -> None:
    races = make_board(
        name="Races", unit="milliseconds", order="asc", maximum="3600000", total_maximum="3600000", minimum="0"
    )
    period = Period.objects.filter(board=races).first()
    assert period is not None

    html = unescape(page(admin, f"/admin/leaderboards/period/{period.pk}/change/"))

    assert "Less points are better" in html
    assert "One submission is 0:00.000 (0) to 1:00:00.000 (3,600,000)" in html
    assert "total_maximum" not in html
    assert "Stored now: 1:00:00.000." in page(admin, change(races))

"""Series in the admin: made without code, every refusal at its field, and a change shown before it is saved."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from competitions.models import Competition, Series, SeriesEvent
from competitions.services.series.count_results import count_due_series
from leaderboards import selectors
from leaderboards.models import Board
from tests.competitions.admin.typed import page, refusals
from tests.competitions.factories import SeriesFactory
from tests.competitions.services.series.test_count_results import OVER, final
from tests.competitions.site import make_board, open_competition
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.restricting import HIDDEN_STANDING, keep_out
from tests.leaderboards.views.pages import text
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

LIST = "/admin/competitions/series/"


def typed(*competitions: Competition, series: Any = None, **changed: Any) -> dict[str, Any]:
    """The form as a browser sends it; ``competitions`` are new, those that ``series`` has stay."""
    fields: dict[str, Any] = {
        "name": "Summer", "description": "", "visibility": "public", "points": "10 6 3", "taking_part": "0", "best": "",
    }  # fmt: skip  # as a table
    there = list(SeriesEvent.objects.filter(series=series)) if series else []
    rows: list[dict[str, Any]] = [
        {"id": event.pk, "series": event.series_id, "competition": event.competition_id} for event in there
    ]
    rows += [{"id": "", "series": "", "competition": each.pk} for each in competitions]
    for nth, row in enumerate(rows):
        fields |= {f"events-{nth}-{name}": value for name, value in row.items()} | {f"events-{nth}-position": nth + 1}
    fields |= {"events-TOTAL_FORMS": len(rows), "events-INITIAL_FORMS": len(there)}
    return fields | changed


def totals(series: Series) -> dict[str, object]:
    return {row.player: row.points for row in selectors.standings(series.board, limit=100).rows}


@pytest.fixture
def series() -> Series:
    """Ann has won once, and bob once."""
    made = SeriesFactory.create(
        name="Summer", competitions=[final({"ann": 9, "bob": 7}, name="First"), final({"bob": 9, "ann": 7})]
    )
    count_due_series(OVER)
    return made


def change(series: Series) -> str:
    return f"{LIST}{series.pk}/change/"


def test_a_series_is_made_with_its_board_and_its_competitions(admin: Client) -> None:
    competition = final({"ann": 9})

    answer = admin.post(f"{LIST}add/", typed(competition, points="25, 18 15", taking_part="1", best="4"))

    assert answer.status_code == 302, refusals(answer)
    series, board = Series.objects.get(), Board.objects.get(name="Summer")
    assert (series.table, series.taking_part, series.best, series.board) == ([25, 18, 15], 1, 4, board)
    assert (board.period, board.update, board.order, board.ties, board.storage, board.visibility) == (
        "all_time", "latest", "desc", "shared", "sql", "public",
    )  # fmt: skip  # as a table
    count_due_series(OVER)
    assert totals(series) == {"ann": 26}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"points": "ten"}, "“ten” is no number of points"),
        ({"points": ""}, "This field is required."),
        ({"points": "1 2"}, "Place 2 would earn more than place 1"),
        ({"best": "0"}, "greater than or equal to 1"),
        ({"taking_part": "-1"}, "greater than or equal to 0"),
        ({"visibility": "secret"}, "secret"),
        ({"name": "Taken"}, "A board in use has this name"),
    ],
)
def test_what_cannot_work_is_refused_at_its_field(admin: Client, wrong: dict[str, str], said: str) -> None:
    BoardFactory.create(name="Taken")

    answer = admin.post(f"{LIST}add/", typed(**wrong))

    assert said in refusals(answer)
    assert not Series.objects.exists()


def test_a_private_competition_is_refused_in_a_public_series(admin: Client) -> None:
    secret = open_competition(make_board(name="Friends", visibility="private"), name="Secret cup")

    answer = admin.post(f"{LIST}add/", typed(secret))

    assert "“Secret cup” is private" in refusals(answer)
    assert admin.post(f"{LIST}add/", typed(secret, visibility="private")).status_code == 302
    assert Series.objects.get().board.visibility == "private"


def test_a_change_of_points_is_shown_before_it_is_saved(admin: Client, series: Series) -> None:
    sent = typed(series=series, points="10 6 3", best="1", name="Summer <b>")

    shown = admin.post(change(series), sent)
    seen, html = text(shown), unescape(shown.content.decode())

    assert shown.status_code == 200
    assert "Who leads now Rank Player Total 1 bob 16 1 ann 16" in seen
    assert "Who would lead Rank Player Total 1 ann 10 1 bob 10" in seen
    series.refresh_from_db()
    assert (series.best, series.name) == (None, "Summer")
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', html))
    hidden.pop("csrfmiddlewaretoken", None)
    assert hidden == {name: str(value) for name, value in sent.items()}

    assert admin.post(change(series), sent | {"confirmed": "1"}).status_code == 302
    count_due_series(OVER)
    series.refresh_from_db()
    assert (series.best, series.name, totals(series)) == (1, "Summer <b>", {"ann": 10, "bob": 10})


def test_a_competition_is_taken_out_after_a_look_at_who_would_lead(admin: Client, series: Series) -> None:
    sent = typed(series=series) | {"events-0-DELETE": "on"}

    seen = text(admin.post(change(series), sent))

    assert "Who would lead Rank Player Total 1 bob 10 2 ann 6" in seen
    assert admin.post(change(series), sent | {"confirmed": "1"}).status_code == 302
    count_due_series(OVER)
    assert totals(series) == {"bob": 10, "ann": 6}


def test_whose_standing_is_hidden_in_the_series_neither_leads_nor_would_lead(admin: Client, series: Series) -> None:
    keep_out(HIDDEN_STANDING, series.board, "ann")

    seen = text(admin.post(change(series), typed(series=series, points="10 6 3", best="1")))

    assert "Who leads now Rank Player Total 1 bob 16 " in seen
    assert "Who would lead Rank Player Total 1 bob 10 " in seen
    assert " ann " not in seen


def test_what_moves_no_total_is_saved_at_once(admin: Client, series: Series) -> None:
    answer = admin.post(change(series), typed(open_competition(), series=series, description="New words."))

    assert answer.status_code == 302
    series.refresh_from_db()
    assert (series.description, series.events.count()) == ("New words.", 3)


def test_a_wrong_change_is_refused_at_its_field_and_not_previewed(admin: Client, series: Series) -> None:
    assert "no number of points" in refusals(admin.post(change(series), typed(series=series, points="x")))


def test_count_again_repairs_what_somebody_spoilt(admin: Client, series: Series) -> None:
    series.results.update(points=1)

    admin.post(LIST, {"action": "count_again", "_selected_action": [series.pk]})
    count_due_series(OVER)

    assert set(series.results.values_list("points", flat=True)) == {10, 6}


def test_the_list_and_the_results_say_what_is_counted(admin: Client, series: Series) -> None:
    html, results = page(admin, LIST), page(admin, f"/admin/competitions/seriesresult/?series__id__exact={series.pk}")

    assert 'class="field-counted">2</td>' in html
    assert results.count('class="field-place">') == 4
    assert admin.get("/admin/competitions/seriesresult/?player__external_id__regex=a").status_code == 400
    assert admin.get("/admin/competitions/seriesresult/add/").status_code == 403


def test_one_that_has_counted_nothing_is_deleted_with_its_board_retired_and_no_other(
    admin: Client, series: Series
) -> None:
    fresh = SeriesFactory.create(name="Mistake")

    answers = [admin.post(f"{LIST}{each.pk}/delete/", {"post": "yes"}).status_code for each in (series, fresh)]

    assert answers == [403, 302]
    assert Series.objects.get() == series
    assert Board.objects.get(name="Mistake").retired_at is not None


def test_whoever_may_only_look_sees_all_of_it_and_changes_nothing(series: Series) -> None:
    viewer = staff("view_series")

    seen = page(viewer, change(series))

    assert "10 6 3" in seen
    assert viewer.post(change(series), typed(series=series, points="9 8 7") | {"confirmed": "1"}).status_code == 403
    assert viewer.post(change(series), typed(series=series, points="9 8 7")).status_code == 403
    series.refresh_from_db()
    assert series.table == [10, 6, 3]


def test_a_competition_that_counts_elsewhere_or_twice_is_refused_in_plain_words(admin: Client, series: Series) -> None:
    there, new = Competition.objects.get(name="First"), final({"ann": 9}, name="Third")

    elsewhere = admin.post(f"{LIST}add/", typed(there, name="Winter"))
    twice = admin.post(f"{LIST}add/", typed(new, new, name="Winter"))
    again = admin.post(f"{LIST}add/", typed(new))

    assert "“First” counts in the series “Summer” already: take it out there first." in refusals(elsewhere)
    assert "A competition stands in this list twice: take one of the two rows out." in unescape(twice.content.decode())
    assert "A series has this name already: take another name" in refusals(again)
    for answer in (elsewhere, twice, again):
        assert "already exists" not in refusals(answer)
    assert Series.objects.get() == series

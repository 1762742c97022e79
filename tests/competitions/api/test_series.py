"""GET /series, /series/{id} and /series/{id}/standings: who may read what, and the points of each competition."""

from typing import Any

import pytest

from competitions.models import Competition
from competitions.services.series.count_results import count_due_series
from leaderboards.models import Board, Player
from leaderboards.selectors import export_rows
from tests.competitions.factories import END, START, SeriesFactory
from tests.competitions.services.series.test_count_results import OVER, final
from tests.competitions.site import draft, make_board, open_competition
from tests.leaderboards.api.conftest import Caller, problem, with_key, wrong_parameter

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


@pytest.fixture
def cups() -> list[Competition]:
    """Two that are final, one that runs, and one that nobody knows yet."""
    over = [final({"ann": 9, "bob": 7, "cleo": 5}), final({"bob": 9, "ann": 7})]
    return [*over, open_competition(name="Now"), draft(name="Later")]


def test_a_series_says_what_places_earn_and_which_competitions_it_has(anybody: Caller, cups: list[Competition]) -> None:
    series = SeriesFactory.create(name="Summer", competitions=cups, description="Four cups.", best=1, taking_part=2)
    count_due_series(OVER)

    answer = anybody.get(f"/series/{series.pk}")
    told = answer.json()

    head = {"id": series.pk, "name": "Summer", "board": series.board_id, "events": 3, "counted": 2}
    assert anybody.get("/series").json() == {"total": 1, "rows": [head]}
    events = told.pop("competitions")
    assert told == head | {"description": "Four cups.", "table": [10, 6, 3], "taking_part": 2, "best": 1}
    assert [(each["competition"], each["counted"]) for each in events] == [
        (cups[0].pk, True),
        (cups[1].pk, True),
        (cups[2].pk, False),
    ]
    assert events[2] == {
        "competition": cups[2].pk,
        "name": "Now",
        "state": "running",
        "starts_at": f"{START:%Y-%m-%dT%H:%M:%S}Z",
        "ends_at": f"{END:%Y-%m-%dT%H:%M:%S}Z",
        "counted": False,
    }
    assert anybody.get(f"/series/{series.pk}", If_None_Match=answer["ETag"]).status_code == 304


def test_the_standings_have_totals_and_what_each_competition_earned(anybody: Caller, cups: list[Competition]) -> None:
    series = SeriesFactory.create(competitions=cups, best=1)
    count_due_series(OVER)

    told = anybody.get(f"/series/{series.pk}/standings?offset=0&limit=2").json()
    rest = anybody.get(f"/series/{series.pk}/standings?offset=2").json()

    assert told.pop("as_of")
    assert (told.pop("previous_cursor"), type(told.pop("next_cursor"))) == (None, str)
    first, second = (cups[0].pk, cups[1].pk)
    rows = {row["player"]: row for row in told.pop("rows")}
    assert told == {"series": series.pk, "board": series.board_id, "total": 3, "counting": False, "live": True}
    assert rows["bob"] == {
        "rank": 1, "player": "bob", "name": "bob", "points": 10, "tied": 2,
        "results": [
            {"competition": first, "place": 2, "points": 6, "counts": False},
            {"competition": second, "place": 1, "points": 10, "counts": True},
        ],
    }  # fmt: skip  # as a table
    assert [each["counts"] for each in rows["ann"]["results"]] == [True, False]
    assert [(row["player"], row["rank"], row["points"]) for row in rest["rows"]] == [("cleo", 3, 3)]


def test_cursors_lead_through_the_totals_and_back(anybody: Caller, cups: list[Competition]) -> None:
    series = SeriesFactory.create(competitions=cups, best=1)
    count_due_series(OVER)
    path = f"/series/{series.pk}/standings?limit=2"

    first = anybody.get(path).json()
    rest = anybody.get(f"{path}&cursor={first['next_cursor']}").json()
    back = anybody.get(f"{path}&cursor={rest['previous_cursor']}").json()

    assert [row["player"] for row in rest["rows"]] == ["cleo"]
    assert (first["previous_cursor"], rest["next_cursor"]) == (None, None)
    assert back["rows"] == first["rows"]
    assert (back["previous_cursor"], back["next_cursor"]) == (None, first["next_cursor"])


def test_the_file_has_the_totals_and_for_each_competition_points_and_whether_they_count(
    anybody: Caller, cups: list[Competition]
) -> None:
    Player.objects.filter(external_id="bob").update(name="=Bob")
    series = SeriesFactory.create(competitions=cups, best=1)
    count_due_series(OVER)
    path = f"/series/{series.pk}/standings.csv"

    file = anybody.get(path)
    lines = b"".join(file).decode().split("\r\n")

    names = ",".join(f"place_{cup.pk},points_{cup.pk},counts_{cup.pk}" for cup in cups[:3])
    assert lines[0] == f"rank,player,name,points,achieved_at,tied,{names}"
    assert sorted(lines[1:3]) == ["1,ann,ann,10,,2,1,10,true,2,6,false,,,", "1,bob,'=Bob,10,,2,2,6,false,1,10,true,,,"]
    assert lines[3:] == ["3,cleo,cleo,3,,1,3,3,true,,,,,,", ""]
    assert file["Content-Disposition"] == f'attachment; filename="series-{series.pk}.csv"'
    assert file["Cache-Control"] == "no-store"
    assert ",=Bob," in b"".join(anybody.get(f"{path}?raw=true")).decode()
    problem(anybody.get(f"{path}?order=name"), 422, "invalid_request")


def test_it_says_while_a_result_is_not_in_the_totals_yet(anybody: Caller, cups: list[Competition]) -> None:
    series = SeriesFactory.create(competitions=cups)
    count_due_series(OVER)
    series.totals.update(due=True)

    assert anybody.get(f"/series/{series.pk}/standings").json()["counting"] is True
    assert anybody.get(f"/series/{series.pk}/standings.csv")["Counting"] == "true"


def test_the_file_says_that_it_is_half_counted_also_if_totals_are_due_or_written_while_it_begins(
    anybody: Caller, cups: list[Competition], monkeypatch: pytest.MonkeyPatch
) -> None:
    series = SeriesFactory.create(competitions=cups)
    count_due_series(OVER)
    path = f"/series/{series.pk}/standings.csv"
    assert anybody.get(path)["Counting"] == "false"

    for due in (True, False):
        series.totals.update(due=not due)

        def meanwhile(*args: Any, becomes: bool = due) -> Any:
            series.totals.update(due=becomes)
            return export_rows(*args)

        monkeypatch.setattr("competitions.api.series.export_rows", meanwhile)
        assert anybody.get(path)["Counting"] == "true"


def test_a_private_series_is_for_keys_that_reach_its_board(anybody: Caller, cups: list[Competition]) -> None:
    series = SeriesFactory.create(visibility="private", competitions=cups)
    reads = with_key("boards:read")
    elsewhere = with_key("boards:read", boards=[series.board_id + 1])

    for path in ("", "/standings", "/standings.csv"):
        problem(anybody.get(f"/series/{series.pk}{path}"), 401, "unauthenticated")
        problem(elsewhere.get(f"/series/{series.pk}{path}"), 403, "forbidden")
        assert reads.get(f"/series/{series.pk}{path}").status_code == 200
    assert [each.get("/series").json()["total"] for each in (anybody, elsewhere, reads)] == [0, 0, 1]


def test_of_a_competition_that_became_private_nothing_is_said(anybody: Caller) -> None:
    hidden, shown = final({"ann": 9}), final({"ann": 9}, name="Shown")
    Competition.objects.filter(pk=hidden.pk).update(board=make_board(name="Elsewhere"), name="Secret")
    series = SeriesFactory.create(competitions=[shown])
    Board.objects.filter(name="Elsewhere").update(visibility="private")
    series.events.create(competition=hidden, position=2)
    series.results.create(competition=hidden, player=shown.participants.get().player, place=1, points=10)

    told = [anybody.get(f"/series/{series.pk}{path}").content.decode() for path in ("", "/standings")]
    listed = anybody.get("/series").json()["rows"]

    header = b"".join(anybody.get(f"/series/{series.pk}/standings.csv")).decode().partition("\r\n")[0]
    assert header.endswith(f",tied,place_{shown.pk},points_{shown.pk},counts_{shown.pk}")
    assert not [text for text in told if "Secret" in text or f'"competition":{hidden.pk}' in text]
    assert listed[0]["events"] == 1


def test_what_is_unknown_or_wrong_is_refused(anybody: Caller) -> None:
    series = SeriesFactory.create()

    for number in (0, series.pk + 1, 10**16):
        problem(anybody.get(f"/series/{number}"), 404, "unknown_series")
        problem(anybody.get(f"/series/{number}/standings"), 404, "unknown_series")
    assert wrong_parameter(anybody.get(f"/series/{series.pk}/standings?limit=101")) == "limit"
    assert wrong_parameter(anybody.get(f"/series/{series.pk}?page=2")) == "page"
    assert wrong_parameter(anybody.get("/series?state=open")) == "state"
    assert anybody.get(f"/series/{series.pk}/standings").json()["rows"] == []

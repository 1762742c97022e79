"""What the clients read is what the site shows; what it refuses comes as the exception of its code."""

import inspect
from datetime import timedelta
from typing import Any, get_type_hints

import pytest
from django.test import Client as SiteClient
from pytest_django import Settings

from foundation import clock
from foundation.throttling.limits import Limit
from leaderboards.selectors.monitoring import backfills
from leaderboards.selectors.rankings.histograms import clear_histogram_cache
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.histograms import take_due_histograms
from sunwi_client import AsyncClient, AsyncSender, Client, Score, Sender, answers, errors
from tests.clients.conftest import Kind
from tests.clients.front import HANG_UP, Front
from tests.competitions import site as competitions
from tests.foundation.factories import KeyFactory
from tests.playing import make_board, score

pytestmark = pytest.mark.usefixtures("links")

NAMES = ["ann", "ben", "cho", "dan", "eve"]


def test_a_board_is_read_by_page_by_player_by_neighbours_by_name_and_all_at_once(
    kind: Kind, site: str, board: int
) -> None:
    score(board, {name: 10 - nth for nth, name in enumerate(NAMES)})
    anybody = kind.client(site)

    page, around = anybody.top(board, limit=2, offset=1), anybody.around(board, "cho", radius=1)
    row, named = anybody.player(board, "cho"), anybody.players(board, ["eve", "ann", "nobody"])
    view = anybody.view(board, player="cho", ids=["eve"], limit=1, radius=1)
    listed, shown = anybody.boards(), anybody.board(board)

    assert [each["player"] for each in page["rows"]] == ["ben", "cho"]
    assert [each["player"] for each in around["rows"]] == ["ben", "cho", "dan"]
    assert [each["player"] for each in anybody.top(board, cursor=around["previous_cursor"])["rows"]] == ["ann"]
    assert view["around_next_cursor"] == around["next_cursor"]
    assert (row["rank"], row["points"], row["total"]) == (3, 8, 5)
    assert [each["player"] for each in named["rows"]] == ["ann", "eve"]
    assert [each["player"] for each in (*view["list"], view["me"], *view["named"])] == ["ann", "cho", "eve"]
    assert [each["player"] for each in view["around"]] == ["ben", "cho", "dan"]
    assert anybody.view(board)["me"] is None
    behind = anybody.top(board, limit=2, cursor=page["next_cursor"])
    assert [each["player"] for each in behind["rows"]] == ["dan", "eve"]
    assert anybody.top(board, limit=2, cursor=behind["previous_cursor"])["rows"] == page["rows"]
    assert anybody.view(board, limit=2, cursor=page["next_cursor"])["list"] == behind["rows"]
    assert listed["rows"][0]["seq"] == shown["seq"] == board
    assert anybody.boards(name="Nothing")["rows"] == []


def test_the_periods_of_a_board_are_read_by_page(kind: Kind, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board(period="day", storage="sql")
    days = [clock.now() - timedelta(days=nth) for nth in range(3)]
    for nth, day in enumerate(days):
        score(board, {"ann": 5, "ben": nth}, day if nth else None)
    monkeypatch.setattr(backfills, "BACKFILL_TIMEOUT", timedelta())  # else the past waits for more than an hour
    close_due(clock.now())
    anybody = kind.client(site)

    page = anybody.periods(board, limit=2)
    rest = anybody.periods(board, limit=2, cursor=page["next_cursor"])

    assert (page["total"], page["previous_cursor"], rest["next_cursor"]) == (3, None, None)
    assert [each["players"] for each in (*page["rows"], *rest["rows"])] == [2, 2, 2]
    assert page["rows"][0]["winners"] is None
    assert rest["rows"][0]["winners"] == [{"player": "ann", "name": "ann", "points": 5}]
    assert anybody.periods(board, limit=2, cursor=rest["previous_cursor"])["rows"] == page["rows"]


def test_a_percentile_is_read_from_the_histogram_or_exactly(
    kind: Kind, site: str, board: int, settings: Settings
) -> None:
    score(board, {name: 10 - nth for nth, name in enumerate(NAMES)})
    anybody, settings.HISTOGRAM_PLAYERS = kind.client(site), len(NAMES)

    before = anybody.percentile(board, "ben")
    assert take_due_histograms(clock.now(), 20) == 1
    clear_histogram_cache()
    quick, exact = anybody.percentile(board, "ben"), anybody.percentile(board, "ben", exact=True)

    assert (before["top"], before["percentile"], before["error"], before["exact"]) == (40, 75, 0, True)
    assert (exact["top"], exact["exact"], exact["total"]) == (40, True, 5)
    assert not quick["exact"]
    assert quick["top"] - quick["error"] <= exact["top"] <= quick["top"]
    with pytest.raises(errors.NotRanked):
        anybody.percentile(board, "nobody")


def test_a_competition_is_read_as_a_board_is(kind: Kind, site: str) -> None:
    competition = competitions.open_competition(competitions.make_board())
    competitions.joined(competition, "late")
    competitions.raced(competition, {name: 10 - nth for nth, name in enumerate(NAMES)})
    anybody, number = kind.client(site), competition.pk

    page, around = anybody.competition_top(number, limit=2), anybody.competition_around(number, "cho", radius=1)
    row, waits = anybody.competition_player(number, "cho"), anybody.competition_player(number, "late")
    view = anybody.competition_view(number, player="cho", ids=["eve"], limit=1, radius=1)
    listed, shown = anybody.competitions(state="running"), anybody.competition(number)

    assert [each["player"] for each in page["rows"]] == ["ann", "ben"]
    assert [each["player"] for each in around["rows"]] == ["ben", "cho", "dan"]
    assert (row["rank"], row["status"], waits["status"]) == (3, "ranked", "not_started")
    assert [each["player"] for each in (*view["list"], view["me"], *view["named"])] == ["ann", "cho", "eve"]
    assert listed["rows"][0]["id"] == shown["id"] == number


def test_a_read_that_was_cut_off_is_asked_again(kind: Kind, site: str, board: int) -> None:
    with Front(site, HANG_UP, HANG_UP) as front:
        page = kind.client(front.url).top(board)

    assert page["board"] == board
    assert len(front.asked) == 3


def test_who_allows_a_second_says_so_and_others_do_not(kind: Kind, site: str, board: int) -> None:
    with Front(site) as front:
        client = kind.client(front.url)
        fresh, old = client.top(board), client.top(board, max_age=1)

    assert [headers.get("Cache-Control") for _, headers in front.asked] == [None, "max-age=1"]
    assert old["rows"] == fresh["rows"]
    with pytest.raises(ValueError, match="max_age=-1"):
        client.top(board, max_age=-1)


def test_whatever_else_the_api_has_is_asked_by_its_segments(kind: Kind, site: str, key: str) -> None:
    client = kind.client(site, key)
    competition = competitions.open_competition(competitions.make_board())

    named = client.ask("PUT", "players", "José", body={"name": "José"})
    joined = client.ask("PUT", "competitions", competition.pk, "players", "José")
    left = client.ask("DELETE", "competitions", competition.pk, "players", "José")

    assert named["name"] == "José"
    assert joined["player"] == "José"
    assert left is None
    with pytest.raises(errors.NotJoined):
        client.competition_player(competition.pk, "José")


def test_a_refusal_is_of_its_code_and_says_what_to_do(kind: Kind, site: str, key: str, board: int) -> None:
    anybody, hidden = kind.client(site), make_board(name="Private", visibility="private")

    refused: dict[type[errors.Refused], Any] = {
        errors.NotRanked: lambda: anybody.player(board, "nobody"),
        errors.UnknownBoard: lambda: anybody.top(999),
        errors.UnknownPeriod: lambda: anybody.top(board, period="1999-01"),
        errors.UnknownCompetition: lambda: anybody.competition_top(999),
        errors.InvalidRequest: lambda: anybody.top(board, limit=1000),
        errors.KeyRefused: lambda: anybody.top(hidden),
        errors.BadPlayer: lambda: anybody.player(board, "a,b"),
    }

    for kind_of_error, action in refused.items():
        with pytest.raises(kind_of_error) as told:
            action()
        assert type(told.value) is kind_of_error
        assert told.value.todo
        assert told.value.todo in str(told.value)
        assert told.value.detail in str(told.value)
    with pytest.raises(errors.KeyRefused, match="neither revoked nor expired") as wrong:
        kind.client(site, "sunwi_wrong").top(board)
    assert str(wrong.value).count("Send ") == 1  # the server's sentence; the advice does not say it again
    with pytest.raises(errors.Forbidden, match="scores:write"):
        kind.client(site, KeyFactory.create(scopes=("boards:read",))).submit([Score(board=board, player="a", points=1)])


def test_a_key_that_asked_too_much_waits_and_is_let_in(kind: Kind, site: str, board: int) -> None:
    client = kind.client(site, KeyFactory.create(limit=Limit(2, 1)))

    told = [client.submit([Score(board=board, player="alice", points=1)])[0] for _ in range(4)]

    assert [result["status"] for result in told] == ["updated"] * 4


@pytest.mark.parametrize("player", ["", ".", "..", "a/b"])
def test_an_address_that_would_lead_elsewhere_is_not_asked_for(kind: Kind, site: str, player: str) -> None:
    with pytest.raises(ValueError, match="names nothing"):
        kind.client(site).player(1, player)


@pytest.mark.parametrize("awaited", [(Client, AsyncClient), (Sender, AsyncSender)])
def test_both_kinds_have_the_same_methods_with_the_same_parameters(awaited: tuple[type, type]) -> None:
    one, other = ({name: each for name, each in vars(kind).items() if not name.startswith("_")} for kind in awaited)

    assert set(one) == set(other)
    for name, method in one.items():
        assert method.__doc__ == other[name].__doc__, name
        if name == "pages":  # what it reads and what it returns are awaited
            assert inspect.isasyncgenfunction(other[name])
            assert list(inspect.signature(method).parameters) == list(inspect.signature(other[name]).parameters)
            continue
        assert inspect.iscoroutinefunction(other[name]) or name == "with_options", name
        assert inspect.signature(method) == inspect.signature(other[name]), name


TYPES: dict[str, Any] = {
    "Result": answers.Result, "ResultsOfEntries": answers.Results, "StandingsOfPeriod": answers.Standings,
    "PageOfPeriod": answers.Page, "PageOfCompetition": answers.CompetitionPage,
    "RowOfStandings": answers.Row, "RowOfPlayer": answers.PlayerRow, "ViewOfBoard": answers.View,
    "PeriodOfBoard": answers.Period, "RunningPeriod": answers.RunningPeriod, "BoardsListed": answers.Boards,
    "CompetitionsListed": answers.Competitions, "CompetitionListed": answers.CompetitionListed,
    "PeriodsListed": answers.Periods, "PeriodListed": answers.ListedPeriod, "WinnerOfPeriod": answers.Winner,
    "RowOfParticipant": answers.ParticipantRow,
    "ViewOfCompetition": answers.CompetitionView, "RowOfCompetition": answers.CompetitionRow,
}  # fmt: skip  # as a table
IN_PART = {"BoardShown": answers.Board, "CompetitionShown": answers.Competition}


@pytest.mark.long
@pytest.mark.django_db
def test_the_types_are_those_of_the_document() -> None:
    schemas = SiteClient().get("/api/openapi.json").json()["components"]["schemas"]

    for name, kind in TYPES.items():
        assert set(get_type_hints(kind)) == set(schemas[name]["properties"]), name
        assert kind.__required_keys__ == set(schemas[name].get("required", ())), name
    for name, kind in IN_PART.items():
        assert set(get_type_hints(kind)) <= set(schemas[name]["properties"]), name

"""Teams and divisions in the API: what is answered, who may change what, and every refusal by its name."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest

from competitions.models import Competition
from competitions.services.lifecycle.finish import finish_due
from competitions.services.participants.join import join
from competitions.services.participants.teams import TeamChoice
from leaderboards.selectors.exports import standings_csv
from tests.competitions.factories import DAY, END, MINUTE, START, DivisionFactory, TeamFactory
from tests.competitions.grouping import in_division, members, team_called, team_race
from tests.competitions.site import follow, joined, make_board, open_competition, player, reloaded, score
from tests.leaderboards.api.conftest import Caller, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

TEAMS: Any = {"Owls": {"ann": 9, "bob": 2}, "=Foxes": {"cleo": 8, "dan": None}, "Bears": {"eve": None}}
OVER = END + MINUTE
COMING: dict[str, Any] = {"starts_at": START + DAY, "ends_at": START + 2 * DAY}


def home(competition: Competition, rest: str = "") -> str:
    return f"/competitions/{competition.pk}{rest}"


def test_teams_are_listed_best_first_and_one_with_its_members(game: Caller) -> None:
    competition = team_race(TEAMS)
    owls = team_called(competition, "Owls").pk

    found = game.get(home(competition, "/teams?offset=0&limit=1")).json()
    one = game.get(home(competition, f"/teams/{owls}")).json()

    assert {key: found[key] for key in ("competition", "total", "ranked")} == {
        "competition": competition.pk,
        "total": 3,
        "ranked": 2,
    }
    (row,) = found["rows"]
    assert row.pop("achieved_at")
    assert row == {"rank": 1, "team": owls, "name": "Owls", "points": 11, "tied": 1, "members": 2, "counted": 2}
    assert [(each["player"], each["rank"], each["points"], each["counts"]) for each in one["rows"]] == [
        ("ann", 1, 9, True),
        ("bob", 3, 2, True),
    ]
    last = game.get(home(competition, "/teams?offset=2")).json()["rows"]
    assert [(each["name"], each["rank"], each["points"]) for each in last] == [("Bears", None, None)]


def test_a_file_of_teams_runs_in_no_spreadsheet_and_is_not_sent_twice(game: Caller) -> None:
    competition = team_race(TEAMS)
    numbers = {each.name: each.pk for each in competition.teams.all()}

    file = game.get(home(competition, "/teams.csv"))

    assert file.content.decode().splitlines() == [
        "rank,team,name,points,members,counted,tied",
        f"1,{numbers['Owls']},Owls,11,2,2,1",
        f"2,{numbers['=Foxes']},'=Foxes,8,2,1,1",
        f",{numbers['Bears']},Bears,,1,0,",
    ]
    assert game.get(home(competition, "/teams.csv"), If_None_Match=file["ETag"]).status_code == 304
    assert "\n2," in game.get(home(competition, "/teams.csv?raw=true")).content.decode()
    assert ",=Foxes," in game.get(home(competition, "/teams.csv?raw=true")).content.decode()


def test_a_division_has_its_own_places_total_and_who_waits(game: Caller) -> None:
    competition = team_race(TEAMS)
    juniors = in_division(competition, "Juniors", "bob", "cleo", "dan")

    found = game.get(home(competition, f"/standings?division={juniors}")).json()

    assert (found["division"], found["total"], found["not_started"]) == (juniors, 2, 1)
    assert [(each["player"], each["division_rank"], each["division_tied"], each["rank"]) for each in found["rows"]] == [
        ("cleo", 1, 1, 2),
        ("bob", 2, 1, 3),
    ]
    assert "division_rank" not in game.get(home(competition, "/standings")).json()["rows"][0]
    problem(game.get(home(competition, f"/standings?division={juniors + 999}")), 404, "unknown_division")
    problem(game.get(home(competition, "/standings?division=x")), 422, "invalid_request")


@pytest.mark.parametrize("ties", ["first_come", "shared"])
def test_cursors_lead_through_a_competition_its_view_and_a_division_and_back(game: Caller, ties: str) -> None:
    crowd: dict[str, int | None] = {f"p{nth}": nth // 2 for nth in range(9)}
    competition = team_race({"Owls": crowd}, make_board(name=f"With {ties}", ties=ties))
    juniors = in_division(competition, "Juniors", *list(crowd)[::2])

    for path, rows in (("/standings?", "rows"), ("/view?", "list"), (f"/standings?division={juniors}&", "rows")):
        whole = game.get(home(competition, f"{path}limit=10")).json()
        forward = [game.get(home(competition, f"{path}limit=2")).json()]
        while cursor := forward[-1]["next_cursor"]:
            forward.append(game.get(home(competition, f"{path}limit=2&cursor={cursor}")).json())
        back = [forward[-1]]
        while cursor := back[-1]["previous_cursor"]:
            back.append(game.get(home(competition, f"{path}limit=2&cursor={cursor}")).json())

        assert [row for page in forward for row in page[rows]] == whole[rows]
        assert [page[rows] for page in back] == [page[rows] for page in forward[::-1]]
        assert (whole["previous_cursor"], whole["next_cursor"]) == (None, None)
        wrong = game.get(home(competition, f"/standings?cursor={forward[0]['next_cursor']}x"))
        assert problem(wrong, 422, "invalid_request")["errors"][0]["parameter"] == "cursor"
        past = game.get(home(competition, f"{path}offset=99")).json()
        assert (past[rows], past["previous_cursor"], past["next_cursor"]) == ([], None, None)


def test_a_competition_says_how_its_teams_rank_and_which_divisions_there_are(game: Caller) -> None:
    competition = open_competition(
        team_score="average", team_counts=2, team_size=4, team_founding=True, team_entry="code"
    )
    second = DivisionFactory.create(competition=competition, name="Seniors", position=2)
    first = DivisionFactory.create(competition=competition, name="Juniors", position=1)

    told, plain = game.get(home(competition)).json(), game.get(home(open_competition())).json()

    names = ("team_score", "team_counts", "team_size", "team_founding", "team_entry", "divisions")
    assert [told[name] for name in names] == [
        *("average", 2, 4, True, "code"),
        [{"id": first.pk, "name": "Juniors"}, {"id": second.pk, "name": "Seniors"}],
    ]
    assert [plain[name] for name in names] == [None, None, None, False, "open", []]


def test_a_game_server_makes_a_team_and_players_join_it_and_change(game: Caller) -> None:
    competition = open_competition(team_score="sum", **COMING)
    division = DivisionFactory.create(competition=competition)

    made = game.send("POST", home(competition, "/teams"), {"name": "Owls"}).json()
    foxes = TeamFactory.create(competition=competition, name="Foxes")
    into = {"team": made["team"], "division": division.pk}
    answer = game.send("PUT", home(competition, "/players/ann"), into).json()
    assert {key: answer[key] for key in into} == into

    moved = game.send("PUT", home(competition, "/players/ann/team"), {"team": foxes.pk})
    assert moved.json() == {"competition": competition.pk, "player": "ann", "team": foxes.pk}
    assert members(foxes) == {"ann"}
    assert game.send("PUT", home(competition, "/players/ann/team"), {"team": None}).json()["team"] is None
    assert competition.teams.count() == 2


def test_a_founded_team_is_entered_with_its_code_which_no_answer_tells(game: Caller) -> None:
    competition = open_competition(team_score="sum", team_founding=True, team_entry="code", **COMING)
    owls = join(competition, player("ann"), START, choice=TeamChoice(found="Owls")).team
    assert owls is not None
    into: dict[str, Any] = {"team": owls.pk}

    problem(game.send("PUT", home(competition, "/players/bob"), into), 403, "wrong_team_code")
    problem(game.send("PUT", home(competition, "/players/bob"), into | {"team_code": 5}), 422, "invalid_request")
    problem(game.send("PUT", home(competition, "/players/bob"), {"team_code": "X" * 41}), 422, "invalid_request")
    assert game.send("PUT", home(competition, "/players/bob"), into | {"team_code": owls.code}).status_code == 200
    joined(competition, "cleo")
    problem(game.send("PUT", home(competition, "/players/cleo/team"), into), 403, "wrong_team_code")
    into["team_code"] = owls.code
    assert game.send("PUT", home(competition, "/players/cleo/team"), into).json()["team"] == owls.pk
    for rest in ("", "/teams", f"/teams/{owls.pk}", "/teams.csv", "/players/ann"):
        assert owls.code not in game.get(home(competition, rest)).content.decode()


def test_what_cannot_be_done_is_refused_by_its_name(game: Caller) -> None:
    competition, plain = team_race({"Owls": {"ann": 5}}, team_size=1), open_competition()
    coming = open_competition(team_score="sum", **COMING)
    joined(coming, "ann")
    owls = team_called(competition, "Owls").pk

    for method, where, rest, body, status, code in (
        ("GET", plain, "/teams", "", 404, "no_teams"),
        ("GET", plain, "/teams.csv", "", 404, "no_teams"),
        ("GET", competition, f"/teams/{owls + 999}", "", 404, "unknown_team"),
        ("GET", competition, "/teams?limit=1001", "", 422, "invalid_request"),
        ("GET", competition, "/teams?order=name", "", 422, "invalid_request"),
        ("POST", plain, "/teams", {"name": "Owls"}, 404, "no_teams"),
        ("POST", competition, "/teams", {"name": " OWLS"}, 409, "name_taken"),
        ("POST", competition, "/teams", {"name": " "}, 422, "bad_name"),
        ("POST", competition, "/teams", {"name": 5}, 422, "invalid_request"),
        ("POST", competition, "/teams", {"title": "Owls"}, 422, "invalid_request"),
        ("PUT", competition, "/players/bob", {"team": owls}, 409, "team_full"),
        ("PUT", competition, "/players/bob", {"team": True}, 422, "invalid_request"),
        ("PUT", competition, "/players/bob", {"team": "1"}, 422, "invalid_request"),
        ("PUT", competition, "/players/bob", {"division": 1.5}, 422, "invalid_request"),
        ("PUT", competition, "/players/bob", {"division": 10**18}, 404, "unknown_division"),
        ("PUT", competition, "/players/ann/team", {"team": owls}, 409, "teams_fixed"),
        ("PUT", coming, "/players/ann/team", {}, 422, "invalid_request"),
        ("PUT", coming, "/players/ann/team", {"team": owls}, 404, "unknown_team"),
        ("PUT", coming, "/players/nobody/team", {"team": None}, 404, "not_joined"),
    ):
        problem(game.send(method, home(where, rest), body), status, code)
    assert competition.participants.count() == 1


def test_teams_of_a_private_board_are_for_keys_and_only_a_key_with_the_scope_makes_any(
    anybody: Caller, game: Caller, make_key: Callable[..., str]
) -> None:
    competition = team_race(TEAMS)
    competition.board.visibility = "private"
    competition.board.save(update_fields=["visibility"])
    owls = team_called(competition, "Owls").pk

    for rest in ("/teams", "/teams.csv", f"/teams/{owls}"):
        problem(anybody.get(home(competition, rest)), 401, "unauthenticated")
        assert "private" in game.get(home(competition, rest))["Cache-Control"]
    scores = Caller(make_key("scores:write"))
    for method, rest, body in (("POST", "/teams", {"name": "New"}), ("PUT", "/players/ann/team", {"team": None})):
        problem(anybody.send(method, home(competition, rest), body), 401, "unauthenticated")
        problem(scores.send(method, home(competition, rest), body), 403, "forbidden")


def test_etags_of_teams_stand_still_during_a_freeze(game: Caller) -> None:
    competition = team_race(TEAMS, freeze_minutes=24 * 60 - 1)
    juniors = in_division(competition, "Juniors", "bob", "cleo")
    paths = ("/teams", "/teams.csv", f"/standings?division={juniors}")
    before = [game.get(home(competition, path))["ETag"] for path in paths]

    game.submit({"competition": competition.pk, "player": "dan", "points": 500})

    assert [game.get(home(competition, path))["ETag"] for path in paths] == before


def test_the_file_of_the_standings_names_team_and_division_and_runs_in_no_spreadsheet(game: Caller) -> None:
    competition = team_race(TEAMS)
    joined(competition, "fay")
    assert score(competition, {"fay": 1})[0].code is None
    follow(competition)
    in_division(competition, "=Juniors", "bob", "fay")

    def lines(query: str = "") -> list[list[str]]:
        content = b"".join(game.get(home(competition, f"/standings.csv{query}"))).decode()
        return [[line[1], *line[6:]] for line in csv.reader(io.StringIO(content, newline=""))]

    assert lines() == [
        ["player", "team", "division", "division_rank"],
        ["ann", "Owls", "", ""],
        ["cleo", "'=Foxes", "", ""],
        ["bob", "Owls", "'=Juniors", "1"],
        ["fay", "", "'=Juniors", "2"],
    ]
    assert lines("?raw=true")[2:4] == [["cleo", "=Foxes", "", ""], ["bob", "Owls", "=Juniors", "1"]]


@pytest.mark.parametrize("ties", ["shared", "dense"])
def test_the_file_has_the_places_within_each_division_that_the_standings_have(
    game: Caller, monkeypatch: pytest.MonkeyPatch, ties: str
) -> None:
    monkeypatch.setattr(standings_csv, "ROWS_PER_CHUNK", 2)
    points = {"ann": 9, "bob": 8, "cleo": 8, "dan": 8, "eve": 7, "fay": 6}
    competition = team_race({"Owls": dict(points)}, make_board("sql", ties=ties))
    divisions = [
        in_division(competition, "Old", "ann", "bob", "fay"),
        in_division(competition, "Young", "cleo", "dan", "eve"),
    ]
    said = {
        row["player"]: str(row["division_rank"])
        for each in divisions
        for row in game.get(home(competition, f"/standings?division={each}")).json()["rows"]
    }
    for final in (False, True):
        if final:
            finish_due(OVER)
            assert reloaded(competition).final_at

        content = b"".join(game.get(home(competition, "/standings.csv"))).decode()

        lines = csv.DictReader(io.StringIO(content, newline=""))
        assert {line["player"]: line["division_rank"] for line in lines} == said
    assert [said[name] for name in ("cleo", "dan", "eve")] == ["1", "1", "2" if ties == "dense" else "3"]

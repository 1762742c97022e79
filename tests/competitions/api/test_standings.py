"""GET /competitions/{id}/standings, /players/{player}, …/around and …/history"""

import csv
import io
import json

import pytest

from competitions.services.disqualify import disqualify
from competitions.services.finish import finish
from competitions.services.snapshot import take
from foundation import clock
from tests.competitions.site import (
    DAY,
    END,
    HOUR,
    SOON,
    START,
    STORAGES,
    joined,
    make_board,
    open_competition,
    player,
    raced,
    reloaded,
    score,
)
from tests.leaderboards.api.conftest import Caller, players, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


@pytest.mark.parametrize("storage", STORAGES)
def test_standings_are_those_of_the_competition_alone(anybody: Caller, storage: str) -> None:
    board = make_board(storage)
    competition, other = open_competition(board), open_competition(board)
    raced(competition, {"alice": 30, "bob": 20, "carol": 10})
    raced(other, {"dave": 99})
    joined(competition, "erin")

    answer = anybody.get(f"/competitions/{competition.pk}/standings?limit=2").json()

    assert players(answer) == [(1, "alice"), (2, "bob")]
    assert (answer["competition"], answer["board"]) == (competition.pk, board.seq)
    assert (answer["total"], answer["not_started"]) == (3, 1)
    assert (answer["period"]["label"], answer["period"]["state"], answer["live"]) == (
        f"c{competition.pk}",
        "open",
        True,
    )


def test_before_the_start_there_is_nobody(anybody: Caller) -> None:
    competition = open_competition(starts_at=START + DAY, ends_at=END + DAY)
    joined(competition, "alice")

    answer = anybody.get(f"/competitions/{competition.pk}/standings").json()

    assert (answer["total"], answer["rows"], answer["not_started"]) == (0, [], 1)


class TestParticipant:
    """One of them."""

    def test_who_has_scored_has_a_row(self, anybody: Caller) -> None:
        competition = open_competition()
        raced(competition, {"alice": 30, "bob": 20})

        row = anybody.get(f"/competitions/{competition.pk}/players/bob").json()

        assert (row["rank"], row["points"], row["status"], row["total"]) == (2, 20, "ranked", 2)
        assert (row["competition"], row["percentile"]) == (competition.pk, 0)

    def test_who_has_not_started_has_neither_rank_nor_points(self, anybody: Caller) -> None:
        competition = open_competition()
        joined(competition, "alice")

        row = anybody.get(f"/competitions/{competition.pk}/players/alice").json()

        assert (row["status"], row["rank"], row["points"], row["player"]) == ("not_started", None, None, "alice")

    @pytest.mark.parametrize("part", ["", "/history"])
    def test_who_does_not_take_part_is_not_found(self, anybody: Caller, part: str) -> None:
        competition = open_competition()
        player("stranger")

        for name in ("stranger", "nobody"):
            problem(anybody.get(f"/competitions/{competition.pk}/players/{name}{part}"), 404, "not_joined")

    @pytest.mark.parametrize("name", ["%20a", "a%2Cb", "%00", "a" * 65])
    def test_an_id_of_the_wrong_shape_is_refused(self, anybody: Caller, name: str) -> None:
        competition = open_competition()

        problem(anybody.get(f"/competitions/{competition.pk}/players/{name}"), 422, "bad_player")

    def test_around_shows_his_neighbours(self, anybody: Caller) -> None:
        competition = open_competition()
        raced(competition, {f"p{nth}": nth for nth in range(1, 8)})

        answer = anybody.get(f"/competitions/{competition.pk}/players/p4/around?radius=1").json()

        assert players(answer) == [(3, "p5"), (4, "p4"), (5, "p3")]

    def test_there_is_nothing_around_who_has_not_started(self, anybody: Caller) -> None:
        competition = open_competition()
        joined(competition, "alice")

        problem(anybody.get(f"/competitions/{competition.pk}/players/alice/around"), 404, "not_ranked")


class TestHistory:
    """Places over time."""

    def test_snapshots_are_told_in_their_order(self, anybody: Caller) -> None:
        competition = open_competition()
        raced(competition, {"alice": 10, "bob": 20})
        take(competition, SOON, SOON)
        score(competition, {"alice": 30})
        take(competition, SOON + HOUR, SOON + HOUR)

        answer = anybody.get(f"/competitions/{competition.pk}/players/alice/history").json()

        assert answer["total"] == 2
        assert [(row["rank"], row["points"]) for row in answer["rows"]] == [(2, 10), (1, 30)]

    def test_without_a_snapshot_there_is_none_yet(self, anybody: Caller) -> None:
        competition = open_competition()
        joined(competition, "alice")

        assert anybody.get(f"/competitions/{competition.pk}/players/alice/history").json() == {"total": 0, "rows": []}


class TestFrozen:
    """Everything public stays as it was at the freeze; no key lifts it."""

    PATHS = (
        *("", "/standings", "/standings.csv", "/rewards", "/players/alice", "/players/alice/around"),
        *("/players/alice/history", "/players/bob", "/players/late"),
    )

    def test_what_happens_behind_the_curtain_changes_no_answer(self, anybody: Caller, game: Caller) -> None:
        # The freeze came an hour after the start, an hour ago.
        competition = open_competition(freeze_minutes=23 * 60)
        raced(competition, {"alice": 30, "bob": 20})
        joined(competition, "late")
        take(competition, SOON - HOUR / 2, SOON - HOUR / 2)
        before = self.answers(competition.pk, anybody)
        keyed = self.answers(competition.pk, game)

        score(competition, {"bob": 99, "late": 50}, SOON + HOUR / 2)
        take(reloaded(competition), SOON + HOUR, SOON + HOUR)

        assert self.answers(competition.pk, anybody) == before
        assert self.answers(competition.pk, game) == keyed == before

    def answers(self, number: int, caller: Caller) -> dict[str, tuple[int, bytes | None, bytes]]:
        found = {}
        for path in self.PATHS:
            answer = caller.get(f"/competitions/{number}{path}")
            content = b"".join(answer) if answer.streaming else self.lasting(answer.content)
            found[path] = (answer.status_code, answer.get("ETag"), content)
        return found

    def lasting(self, content: bytes) -> bytes:
        """Without the moment and the seconds left."""
        told = json.loads(content)
        return json.dumps({name: told[name] for name in told if name not in ("as_of", "seconds_left")}).encode()


class TestCsv:
    """The standings as a file."""

    @pytest.mark.parametrize("storage", STORAGES)
    def test_the_csv_holds_what_the_standings_hold(self, anybody: Caller, storage: str) -> None:
        competition = open_competition(make_board(storage))
        raced(competition, {"alice": 30, "bob": 20})
        score(competition, {"bob": 40})

        response = anybody.get(f"/competitions/{competition.pk}/standings.csv")

        header, *lines = csv.reader(io.StringIO(b"".join(response).decode(), newline=""))
        assert header == ["rank", "player", "name", "points", "achieved_at", "tied"]
        assert [(line[0], line[1], line[3]) for line in lines] == [("1", "bob", "40"), ("2", "alice", "30")]
        assert response["Live"] == "true"
        assert f'"competition-{competition.pk}.csv"' in response["Content-Disposition"]

    def test_without_a_score_it_is_empty(self, anybody: Caller) -> None:
        response = anybody.get(f"/competitions/{open_competition().pk}/standings.csv")

        assert b"".join(response) == b"rank,player,name,points,achieved_at,tied\r\n"


class TestResult:
    """What stays."""

    def test_until_it_is_final_there_is_none(self, anybody: Caller) -> None:
        competition = open_competition()

        problem(anybody.get(f"/competitions/{competition.pk}/result.json"), 404, "not_final")

    @pytest.mark.parametrize("storage", STORAGES)
    def test_a_final_has_every_row_and_a_hash(self, anybody: Caller, storage: str) -> None:
        competition = open_competition(make_board(storage), starts_at=START - DAY, ends_at=START + HOUR)
        raced(competition, {f"p{nth}": nth for nth in range(1, 6)}, SOON - DAY)
        assert finish(competition, clock.now())
        path = f"/competitions/{competition.pk}/result.json"

        response = anybody.get(path)

        told = json.loads(b"".join(response))
        assert (told["total"], len(told["content_hash"])) == (5, 64)
        assert players(told) == [(1, "p5"), (2, "p4"), (3, "p3"), (4, "p2"), (5, "p1")]
        assert anybody.get(path, If_None_Match=response["ETag"]).status_code == 304

    def test_who_is_disqualified_afterwards_is_marked_and_stays(self, anybody: Caller) -> None:
        competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
        raced(competition, {"alice": 30, "bob": 20}, SOON - DAY)
        finish(competition, clock.now())
        disqualify(reloaded(competition), player("alice"), "Two accounts.", clock.now(), None)

        rows = anybody.get(f"/competitions/{competition.pk}/standings").json()["rows"]

        assert [(row["rank"], row["player"], row.get("disqualified")) for row in rows] == [
            (1, "alice", True),
            (2, "bob", None),
        ]
        assert anybody.get(f"/competitions/{competition.pk}/players/alice").json()["disqualified"]

"""What a process remembers of a competition that runs: a read asks SQL for nothing, and misses no change elsewhere."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from competitions.models import Competition
from competitions.selectors.standings import cached_competition as steady
from competitions.services.erasure import anonymize as forget
from competitions.services.lifecycle import cancel, change_end, finish
from competitions.services.lifecycle.publish import publish
from competitions.services.participants import bring_back, disqualify
from competitions.services.participants.join import join, leave
from competitions.services.results import judge
from foundation.db.resilience import StaleIfErrorCache
from leaderboards.models import Period, RestrictionKind, Submission, Visibility
from leaderboards.services.boards import save_board
from leaderboards.services.moderation.ban import ban, unban
from leaderboards.services.moderation.restrict import RestrictionScope, lift_from, restrict
from leaderboards.services.sync.mirror import mirror_all
from tests.competitions.remembering import (
    IN_REDIS,
    PATHS,
    Known,
    SetClock,
    elsewhere,
    scored,
    seen,
    shown,
    take_sql_away_later,
)
from tests.competitions.site import (
    END,
    HOUR,
    MINUTE,
    SOON,
    START,
    joined,
    make_board,
    open_competition,
    period_of,
    player,
    reloaded,
)
from tests.leaderboards.api.conftest import Caller, problem, with_key
from tests.remembered import count_trips

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("settings", [{}, {"freeze_minutes": 60}], ids=["never freezes", "will freeze"])
@IN_REDIS
def test_a_read_asks_sql_for_nothing_and_redis_once(
    anybody: Caller, known: Known, storage: str, settings: dict[str, Any], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = known(storage, path, **settings)
    trips = count_trips(monkeypatch)

    with CaptureQueriesContext(connection) as asked:
        again = anybody.get(f"/competitions/{cup.pk}/{path}")

    body = again.json()
    row = (body.get("rows") or body.get("list") or [body])[0]
    assert (again.status_code, row["player"], list(asked), trips) == (200, "alice", [], [1])
    assert body.get("not_started", 1) == 1


@pytest.mark.parametrize("path", PATHS)
def test_what_is_remembered_is_what_is_asked_for(anybody: Caller, known: Known, path: str) -> None:
    cup = known(path=path, freeze_minutes=60)
    remembered = shown(anybody, cup, path)

    with patch.object(StaleIfErrorCache, "peek", lambda *_: None):
        assert shown(anybody, cup, path) == remembered


def test_only_a_competition_that_runs_before_everybody_s_eyes_is_remembered(
    anybody: Caller, known: Known, now: SetClock
) -> None:
    cup = known(freeze_minutes=60)
    freezes_at = END - HOUR
    turned = {}

    for at in (START - MINUTE, SOON, freezes_at - timedelta(seconds=9), freezes_at, END, END + MINUTE):
        now(at)
        turned[at] = steady.cached_competition(cup.pk, at) is not None

    assert [at for at, is_remembered in turned.items() if is_remembered] == [SOON]


def void_of(cup: Competition, name: str) -> None:
    submission = Submission.objects.get(period=period_of(cup), player__external_id=name)
    judge.void(cup, submission, "A bot.", SOON, None)


def gone_and_back(cup: Competition) -> None:
    disqualify.remove(cup, player("erin"), "Wrong name.", SOON, None)
    bring_back.bring_back(cup, player("erin"), "Right name.", SOON, None)


def forgotten(name: str) -> None:
    with transaction.atomic():
        forget.anonymize_player(player(name), SOON)


def hide(cup: Competition, name: str) -> None:
    restrict([player(name).pk], RestrictionScope(RestrictionKind.HIDDEN, cup.board), "A bot.", SOON, None)


def hide_everywhere(cup: Competition, name: str) -> None:
    restrict([player(name).pk], RestrictionScope(RestrictionKind.SHADOWED), "A bot.", SOON, None)


AB = ["alice", "bob"]
ACTIONS: dict[str, tuple[Callable[[Competition], Any], tuple[list[str], int, int]]] = {
    "somebody joins": (lambda cup: join(cup, player("dora"), SOON), (AB, 2, 2)),
    "who has not started leaves": (lambda cup: leave(cup, player("erin"), SOON), (AB, 2, 0)),
    "who has a score leaves": (lambda cup: leave(cup, player("bob"), SOON), (["alice"], 1, 1)),
    "is removed": (lambda cup: disqualify.remove(cup, player("erin"), "A bot.", SOON, None), (AB, 2, 0)),
    "is removed and brought back": (gone_and_back, (AB, 2, 1)),
    "is disqualified": (lambda cup: disqualify.disqualify(cup, player("erin"), "A bot.", SOON, None), (AB, 2, 0)),
    "scores for the first time": (lambda cup: scored(cup, {"erin": 40}), (["erin", *AB], 3, 0)),
    "is forgotten": (lambda _: forgotten("erin"), (AB, 2, 0)),
    "is hidden on the board": (lambda cup: hide(cup, "erin"), (AB, 2, 0)),
    "is shadowed everywhere": (lambda cup: hide_everywhere(cup, "erin"), (AB, 2, 0)),
    "is banned": (lambda cup: ban([player("erin").pk], "A bot.", SOON, None), (AB, 2, 0)),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_whatever_is_done_to_participants_elsewhere_the_next_read_shows_it(
    anybody: Caller, known: Known, action: str
) -> None:
    cup = known()
    do, then = ACTIONS[action]
    assert seen(anybody, cup) == (AB, 2, 1)

    with elsewhere():
        do(reloaded(cup))

    assert seen(anybody, cup) == then


def test_who_is_let_in_again_elsewhere_is_counted_by_the_next_read(anybody: Caller, known: Known) -> None:
    cup = known()
    erin = [player("erin").pk]
    hiding = RestrictionScope(RestrictionKind.HIDDEN, cup.board)
    actions: list[tuple[Callable[[], Any], Callable[[], Any]]] = [
        (lambda: ban(erin, "A bot.", SOON, None), lambda: unban(erin, "No bot.", SOON, None)),
        (lambda: hide(cup, "erin"), lambda: lift_from(erin, hiding, "No bot.", SOON, None)),
    ]
    for out, back in actions:
        out()
        counted = [seen(anybody, cup)[2] for _ in range(4)]
        back()
        assert (counted, seen(anybody, cup)[2]) == ([0, 0, 0, 0], 1)
        for _ in range(4):
            seen(anybody, cup)


def test_one_who_starts_while_another_s_score_is_voided_elsewhere_is_not_missed(anybody: Caller, known: Known) -> None:
    cup = known()
    joined(cup, "dora")
    for _ in range(4):
        assert seen(anybody, cup)[1:] == (2, 2)
    with elsewhere():
        void_of(cup, "bob")
        scored(cup, {"erin": 1, "dora": 1})
        leave(cup, player("dora"), SOON)

    assert seen(anybody, cup) == (["alice", "erin"], 2, 1)


def test_what_the_mirror_brings_is_counted_by_the_next_read(anybody: Caller, known: Known) -> None:
    cup = known("redis")
    scored(cup, {"erin": 1})
    for _ in range(4):
        assert seen(anybody, cup)[1:] == (3, 1)  # SQL does not know it yet

    with elsewhere():
        mirror_all()

    assert seen(anybody, cup)[1:] == (3, 0)


@IN_REDIS
def test_a_board_that_is_made_private_elsewhere_hides_its_competitions(
    anybody: Caller, known: Known, storage: str
) -> None:
    cup = known(storage)
    board = cup.board
    path = f"/competitions/{cup.pk}/standings"
    for _ in range(2):
        board.visibility = Visibility.PRIVATE
        with elsewhere():
            save_board(board)
        for _ in range(4):
            problem(anybody.get(path), 401, "unauthenticated")
            problem(anybody.get(f"/competitions/{cup.pk}/players/nobody"), 401, "unauthenticated")
            assert with_key("boards:read").get(path).status_code == 200
        board.visibility = Visibility.PUBLIC
        with elsewhere():
            save_board(board)
        for _ in range(4):
            assert anybody.get(path).status_code == 200


def test_each_turn_that_somebody_gives_it_elsewhere_is_shown_by_the_next_read(
    anybody: Caller, known: Known, now: SetClock
) -> None:
    cup = known()
    later = END + HOUR
    with elsewhere():
        change_end.change_end(reloaded(cup), later, "More time.", SOON, None)
    assert shown(anybody, cup)["period"]["ends_at"] == f"{later:%Y-%m-%dT%H:%M:%S}Z"
    for _ in range(4):
        shown(anybody, cup)
    soon = SOON + MINUTE
    with elsewhere():
        change_end.change_end(reloaded(cup), soon, "Less time.", SOON, None)
    assert shown(anybody, cup)["period"]["ends_at"] == f"{soon:%Y-%m-%dT%H:%M:%S}Z"

    now(soon)
    ended = shown(anybody, cup)["period"]["state"]
    with elsewhere():
        finish.finish_due(soon + MINUTE)

    assert (ended, shown(anybody, cup)["period"]["state"]) == ("open", "final")


def test_one_that_is_cancelled_elsewhere_shows_what_its_course_says(anybody: Caller, known: Known) -> None:
    cup = known()
    with elsewhere():
        cancel.cancel(reloaded(cup), "Nobody came.", SOON, None)

    with CaptureQueriesContext(connection) as asked:
        assert anybody.get(f"/competitions/{cup.pk}/standings").status_code == 200

    assert any("competitions_competition" in query["sql"] for query in asked)


def test_a_draft_is_unknown_until_it_is_published_elsewhere(anybody: Caller, known: Known) -> None:
    known()
    draft = Competition.objects.create(board=make_board(), name="A draft", starts_at=START, ends_at=END)
    problem(anybody.get(f"/competitions/{draft.pk}/standings"), 404, "unknown_competition")

    publish(draft, START - HOUR, None)

    assert anybody.get(f"/competitions/{draft.pk}/standings").status_code == 200


def test_an_answer_that_redis_was_not_asked_for_is_none_of_what_is_remembered(anybody: Caller, now: SetClock) -> None:
    """The period begins later than its competition, so nothing is read of it that Redis could compare."""
    cup = open_competition(make_board())
    Period.objects.filter(pk=period_of(cup).pk).update(starts_at=END)
    path = f"/competitions/{cup.pk}/standings"
    now(SOON)
    for _ in range(4):
        assert anybody.get(path).status_code == 200
    board = cup.board
    board.visibility = Visibility.PRIVATE
    with elsewhere():
        save_board(board)

    problem(anybody.get(path), 401, "unauthenticated")


@IN_REDIS
def test_one_whose_board_was_made_private_elsewhere_is_not_shown_if_sql_goes_away_before_anybody_has_read_it(
    anybody: Caller, known: Known, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = known(storage)
    cup.board.visibility = Visibility.PRIVATE
    with elsewhere():
        save_board(cup.board)

    take_sql_away_later(monkeypatch)

    for path in PATHS:
        problem(anybody.get(f"/competitions/{cup.pk}/{path}"), 503, "unavailable")


@IN_REDIS
def test_one_that_is_hidden_elsewhere_is_not_shown_by_what_was_read_before(
    anybody: Caller, known: Known, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = known(storage, freeze_minutes=60)
    with elsewhere():
        change_end.change_end(reloaded(cup), SOON + MINUTE, "Less time.", SOON, None)

    take_sql_away_later(monkeypatch)

    problem(anybody.get(f"/competitions/{cup.pk}/standings"), 503, "unavailable")

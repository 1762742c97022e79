"""The jury's acts on scores: each with a reason on record, whole or not at all, and shown by whoever may see it."""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.utils import timezone

from competitions import errors
from competitions.models import Change, Competition, Participant, Revision
from competitions.services import judge
from competitions.services.cancel import cancel
from competitions.services.confirm import confirm
from competitions.services.disqualify import disqualify
from competitions.services.finish import finish_due
from competitions.services.freeze import reveal
from competitions.services.judge import LateScore, accept_late, void
from competitions.services.publish import publish
from foundation.errors import SunwiError
from leaderboards import errors as refused
from leaderboards.models import FinalStanding, Player, Standing, Submission
from leaderboards.services import correct
from leaderboards.services.close import close_due
from leaderboards.services.erase import Erased, erase_player
from leaderboards.services.open import open_period
from leaderboards.services.void import void_by_hand
from leaderboards.stores.sql_final import content_hash
from tests.at_once import at_once
from tests.competitions.factories import DAY, END, HOUR, MINUTE, START
from tests.competitions.services.mishaps import dying_at, redis_away
from tests.competitions.site import (
    SOON,
    STORAGES,
    draft,
    joined,
    make_board,
    open_competition,
    period_of,
    player,
    points_of,
    race,
    ranks,
    reloaded,
    score,
)
from tests.leaderboards.factories import BoardFactory
from tests.locked import only_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

CLOSED, JUDGED = END + MINUTE, END + HOUR
KEEPING = ("hybrid", "sql")  # boards that keep submissions


def provisional(storage: str = "hybrid", **settings: Any) -> Competition:
    """Ann has 9 and before that 4, bob 5, cleo 7; closed, and under review for a day."""
    competition = race({"ann": 4, "bob": 5, "cleo": 7}, make_board(storage), review_hours=24, **settings)
    score(competition, {"ann": 9}, SOON + MINUTE)
    points_of(competition)
    finish_due(CLOSED)
    return reloaded(competition)


def of(name: str, points: int) -> Submission:
    return Submission.objects.select_related("player", "period").get(player__external_id=name, points=points)


def late(name: str, points: int, **more: Any) -> LateScore:
    return LateScore(player(name), more.pop("happened_at", SOON), points, **more)


def is_whole(competition: Competition) -> bool:
    """Whether count, hash and places of its period are those of its standings."""
    period = period_of(competition)
    standing = Standing.objects.filter(period=period, score__isnull=False)
    rows = FinalStanding.objects.filter(period=period).order_by("place")
    in_order = list(standing.order_by("-score", "-member").values_list("player", flat=True))
    return (
        [row.player_id for row in rows] == in_order
        and period.players == len(in_order)
        and period.content_hash == content_hash(period)
    )


@pytest.mark.parametrize("storage", KEEPING)
def test_a_voided_score_of_a_closed_competition_leaves_what_the_others_amount_to(storage: str) -> None:
    competition = provisional(storage)
    before = (ranks(competition, JUDGED), period_of(competition).content_hash)

    with redis_away():  # closed periods are SQL's
        change = void(competition, of("ann", 9), " Came by car. ", JUDGED, None)
        again = void(competition, of("ann", 9), "Again.", JUDGED, None)

    assert before[0] == [("ann", 1, 9), ("cleo", 2, 7), ("bob", 3, 5)]
    assert ranks(competition, JUDGED) == [("cleo", 1, 7), ("bob", 2, 5), ("ann", 3, 4)]
    assert is_whole(competition)
    assert period_of(competition).content_hash != before[1]
    assert period_of(competition).state == "final"
    assert again is None
    assert change == Change.objects.get(kind="voided")
    assert change is not None
    assert (change.reason, change.details["player"], change.details["score"]) == ("Came by car.", "ann", "9")
    assert not Revision.objects.exists()


def test_whose_every_score_is_voided_is_not_ranked_and_a_late_one_brings_them_back() -> None:
    competition = provisional()

    void(competition, of("bob", 5), "Came by car.", JUDGED, None)
    without = (ranks(competition, JUDGED), period_of(competition).players)
    accept_late(competition, late("bob", 8), "The bus broke down.", JUDGED, None)

    assert without == ([("ann", 1, 9), ("cleo", 2, 7)], 2)
    assert ranks(competition, JUDGED) == [("ann", 1, 9), ("bob", 2, 8), ("cleo", 3, 7)]
    assert is_whole(competition)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_late_score_counts_as_if_it_had_come_in_time(storage: str) -> None:
    competition = provisional(storage)
    joined_late = player("dan")
    Participant.objects.create(competition=competition, player=joined_late, joined_at=START)

    with redis_away():
        accept_late(competition, late("bob", 30), "The network was down.", JUDGED, None)
        accept_late(competition, late("dan", 9, happened_at=SOON), "The network was down.", JUDGED, None)
        accept_late(competition, late("cleo", 1), "It was sent, and is less.", JUDGED, None)

    assert ranks(competition, JUDGED) == [("bob", 1, 30), ("dan", 2, 9), ("ann", 3, 9), ("cleo", 4, 7)]  # dan was first
    assert is_whole(competition)
    kept = Submission.objects.filter(service="jury").order_by("pk").values_list("points", "competition", "at")
    wanted = [] if storage == "redis" else [(points, competition.pk, SOON) for points in (30, 9, 1)]
    assert list(kept) == wanted
    changes = Change.objects.filter(kind="accepted").order_by("pk")
    assert [each.details["score"] for each in changes] == ["30", "9", "1"]


def test_a_late_sum_is_added_and_one_beyond_the_boards_limit_is_refused_with_nothing_of_it_done() -> None:
    board = make_board(update="increment", maximum=100, total_maximum=100)
    competition = race({"ann": 60}, board, review_hours=24)
    finish_due(CLOSED)

    with pytest.raises(refused.OutOfRange):
        accept_late(competition, late("ann", 41), "One more.", JUDGED, None)
    accept_late(competition, late("ann", 40), "One more.", JUDGED, None)

    assert ranks(competition, JUDGED) == [("ann", 1, 100)]
    assert [each.details["score"] for each in Change.objects.filter(kind="accepted")] == ["40"]
    assert Submission.objects.filter(service="jury").count() == 1


def test_criteria_are_judged_too() -> None:
    criteria = [{"name": "kills", "max": 100, "order": "desc"}, {"name": "deaths", "max": 100, "order": "asc"}]
    competition = open_competition(make_board(criteria=criteria), review_hours=24)
    [ann] = joined(competition, "ann")
    finish_due(CLOSED)

    accept_late(competition, LateScore(ann, SOON, fields={"kills": 3, "deaths": 1}), "Lost.", JUDGED, None)
    with pytest.raises(refused.BadEntry, match="criteria"):
        accept_late(competition, late("ann", 3), "Lost.", JUDGED, None)
    with pytest.raises(refused.OutOfRange, match="deaths"):
        accept_late(competition, LateScore(ann, SOON, fields={"kills": 3, "deaths": 500}), "Lost.", JUDGED, None)

    assert Change.objects.get(kind="accepted").details["score"] == "kills 3, deaths 1"
    assert period_of(competition).players == 1


@pytest.mark.parametrize("storage", STORAGES)
def test_each_act_on_a_final_result_makes_the_next_revision(storage: str) -> None:
    competition = provisional(storage)
    confirm(competition, JUDGED, None)

    accept_late(competition, late("bob", 30), "The network was down.", JUDGED, None)
    if storage != "redis":
        void(competition, of("bob", 30), "It was somebody else's.", JUDGED, None)

    kinds = [each.change.kind if each.change else "" for each in Revision.objects.order_by("number")]
    assert kinds == ["confirmed", "accepted", "voided"][: 2 if storage == "redis" else 3]
    assert is_whole(competition)


def test_while_it_runs_a_voided_score_goes_at_once_and_by_the_lists_of_scores_too() -> None:
    competition = race({"ann": 9, "bob": 5})

    void(competition, of("ann", 9), "Came by car.", SOON, None)
    void_by_hand(of("bob", 5), "Came by bus.", SOON, None)

    assert points_of(competition) == {}
    assert ranks(competition, SOON) == []
    changes = Change.objects.filter(kind="voided").order_by("pk").values_list("reason", "details__player")
    assert list(changes) == [("Came by car.", "ann"), ("Came by bus.", "bob")]


def test_an_act_during_the_freeze_changes_nothing_that_the_public_sees() -> None:
    competition = race({"ann": 9, "bob": 5}, freeze_minutes=60, review_hours=24)

    void(competition, of("ann", 9), "Came by car.", END - HOUR + MINUTE, None)
    frozen = (reloaded(competition).frozen_at, ranks(competition, END - MINUTE))
    finish_due(CLOSED)
    accept_late(competition, late("ann", 3), "By foot.", JUDGED, None)
    hidden = ranks(competition, JUDGED)
    reveal(competition, JUDGED, None)

    assert frozen == (END - HOUR, [("ann", 1, 9), ("bob", 2, 5)])
    assert hidden == frozen[1]
    assert ranks(competition, JUDGED) == [("bob", 1, 5), ("ann", 2, 3)]


@pytest.mark.parametrize(
    ("who", "points", "happened_at", "reason", "refusal"),
    [
        ("ann", 9, SOON, "  ", errors.BadCompetition),
        ("ann", 9, START - MINUTE, "Late.", errors.BadCompetition),
        ("ann", 9, END, "Late.", errors.BadCompetition),
        ("eve", 9, SOON, "Late.", errors.NotAParticipant),
        ("left", 9, SOON, "Late.", errors.NotAParticipant),
        ("out", 9, SOON, "Late.", errors.Disqualified),
        ("banned", 9, SOON, "Late.", refused.Banned),
        ("ann", -1, SOON, "Late.", refused.OutOfRange),
    ],
)
def test_a_late_score_that_nobody_may_have_is_refused_and_nothing_is_kept(
    who: str, points: int, happened_at: Any, reason: str, refusal: type[SunwiError]
) -> None:
    competition = race({"ann": 4, "left": 1, "out": 1, "banned": 1}, review_hours=24)
    Participant.objects.filter(player__external_id="left").update(left_at=SOON)
    disqualify(competition, player("out"), "Came by car.", SOON, None)
    finish_due(CLOSED)
    Player.objects.filter(external_id="banned").update(banned_at=timezone.now())

    with pytest.raises(refusal):
        accept_late(competition, late(who, points, happened_at=happened_at), reason, JUDGED, None)

    assert not Change.objects.filter(kind="accepted").exists()
    assert not Submission.objects.filter(service="jury").exists()
    assert is_whole(competition)


def test_what_is_not_closed_or_cancelled_or_of_another_is_refused() -> None:
    board = make_board()
    running, gone = race({"ann": 9}, board), race({"bob": 5}, board)
    cancel(gone, "Rain.", SOON, None)
    others = of("bob", 5)

    with pytest.raises(errors.NotClosed, match="not closed yet"):
        accept_late(running, late("ann", 9), "Late.", SOON, None)
    for refusal, competition, submission in (
        (refused.UnknownCompetition, running, others),
        (errors.CompetitionOver, gone, others),
    ):
        with pytest.raises(refusal):
            void(competition, submission, "Because.", SOON, None)
    with pytest.raises(errors.CompetitionOver):
        accept_late(gone, late("bob", 9), "Late.", SOON, None)
    close_due(CLOSED)  # nobody has marked it closed yet
    with pytest.raises(errors.NotClosed, match="being closed"):
        void(running, of("ann", 9), "Because.", CLOSED, None)
    assert not Change.objects.filter(kind__in=("voided", "accepted")).exists()


def test_what_retention_may_have_begun_to_delete_is_not_voided() -> None:
    competition = provisional()
    kept = period_of(competition).board.keep_submissions_days * DAY
    [gone, stays] = of("ann", 9), of("bob", 5)

    with pytest.raises(refused.SubmissionsDropped):
        void(competition, stays, "Too late.", CLOSED + kept, None)
    Submission.objects.filter(pk=gone.pk).delete()
    with pytest.raises(refused.SubmissionsDropped):
        void(competition, gone, "Too late.", JUDGED, None)
    void(competition, stays, "In time.", CLOSED + kept - MINUTE, None)

    assert [each.reason for each in Change.objects.filter(kind="voided")] == ["In time."]


def test_whoever_left_does_not_come_back_by_a_voided_score() -> None:
    competition = race({"ann": 4}, review_hours=24)
    score(competition, {"ann": 9}, SOON + MINUTE)
    Participant.objects.update(left_at=SOON + HOUR)  # a score that was under way had brought them back
    finish_due(CLOSED)

    void(competition, of("ann", 9), "Came by car.", JUDGED, None)

    assert ranks(competition, JUDGED) == []


def test_periods_of_a_calendar_and_open_ones_are_not_corrected() -> None:
    board = BoardFactory.create(storage="sql", at=START)
    competition = race({"ann": 9})
    calendar = board.periods.first()
    assert calendar is not None
    calendar.state = "final"
    calendar.save()

    with pytest.raises(refused.PeriodClosed, match="stay as they are"):
        correct.add_to_closed(calendar, correct.Late("ann", (1,), SOON), "jury", JUDGED)
    with pytest.raises(refused.PeriodOpen):
        correct.void_in_closed(of("ann", 9), SOON)
    assert points_of(competition) == {"ann": 9}


@pytest.mark.parametrize(
    ("module", "step"),
    [(correct, "correct.after_standing"), (correct, "correct.before_commit"), (judge, "judge.before_commit")],
)
def test_whoever_dies_at_an_act_has_done_nothing_of_it(module: Any, step: str) -> None:
    competition = provisional()
    before = (ranks(competition, JUDGED), period_of(competition).content_hash)

    with dying_at(module, step):
        void(competition, of("ann", 9), "Came by car.", JUDGED, None)
    with dying_at(module, step):
        accept_late(competition, late("bob", 30), "The network was down.", JUDGED, None)

    assert (ranks(competition, JUDGED), period_of(competition).content_hash) == before
    assert is_whole(competition)
    assert not Submission.objects.exclude(voided_at=None).exists()
    assert not Submission.objects.filter(service="jury").exists()
    assert not Change.objects.filter(kind__in=("voided", "accepted")).exists()


def test_judged_and_confirmed_at_once_each_is_done_once_and_the_result_is_whole() -> None:
    competition = provisional()
    score_of_ann = of("ann", 9)

    at_once(
        [
            lambda: bool(void(competition, score_of_ann, "Came by car.", JUDGED, None)),
            lambda: bool(void(competition, score_of_ann, "Came by car.", JUDGED, None)),
            lambda: bool(accept_late(competition, late("bob", 30), "The network was down.", JUDGED, None)),
            lambda: bool(confirm(competition, JUDGED, None)),
        ]
    )

    assert ranks(competition, JUDGED) == [("bob", 1, 30), ("cleo", 2, 7), ("ann", 3, 4)]
    assert is_whole(competition)
    kinds = list(Change.objects.exclude(kind="published").order_by("pk").values_list("kind", flat=True))
    assert sorted(kinds) == ["accepted", "confirmed", "voided"]
    revised = [each.change.kind for each in Revision.objects.order_by("number") if each.change]
    assert revised == kinds[kinds.index("confirmed") :]


def test_erased_while_a_score_is_judged_nobody_finds_the_old_name() -> None:
    competition = provisional()

    at_once(
        [
            lambda: bool(void(competition, of("bob", 5), "Came by car.", JUDGED, None)),
            lambda: bool(erase_player("cleo", JUDGED)),
            lambda: bool(accept_late(competition, late("ann", 30), "The network was down.", JUDGED, None)),
        ]
    )

    assert not FinalStanding.objects.filter(member__contains="cleo").exists()
    assert not Standing.objects.filter(member__contains="cleo").exists()
    assert is_whole(competition)


@only_postgresql
def test_who_is_erased_while_places_are_written_anew_is_in_none_of_them_by_the_old_name() -> None:
    """Void reads cleo's name, and commits only once the erasure has come as far as it can."""
    competition, erasing = provisional(), ThreadPoolExecutor(1)
    erased: list[Future[list[object]]] = []

    def meanwhile(step: str) -> None:
        if step == "correct.before_commit":
            erased.append(erasing.submit(at_once, [lambda: erase_player("cleo", JUDGED)]))
            _until_somebody_waits()

    with patch.object(correct, "failpoint", meanwhile):
        void(competition, of("bob", 5), "Came by car.", JUDGED, None)
    [done] = erased[0].result()
    erasing.shutdown()

    assert isinstance(done, Erased)
    names = FinalStanding.objects.filter(period=period_of(competition)).values_list("member", flat=True)
    assert not [name for name in names if "cleo" in name]
    assert is_whole(competition)


def _until_somebody_waits() -> None:
    """For a lock of SQL; there is one who does."""
    give_up = time.monotonic() + 10
    with connection.cursor() as cursor:
        while time.monotonic() < give_up:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
            time.sleep(0.01)
    raise AssertionError("Nobody waits.")


def test_a_draft_has_nothing_to_judge() -> None:
    loose = draft()
    open_period(loose.board, loose.window)

    with pytest.raises(errors.NotClosed):
        accept_late(loose, late("ann", 1), "Late.", SOON, None)
    assert publish(loose, SOON, None).closed_at is None


@pytest.mark.parametrize("storage", STORAGES)
def test_one_sending_of_a_late_score_counts_once_also_by_two_at_once(storage: str) -> None:
    competition = race({"ann": 4, "bob": 5}, make_board(storage, update="increment"), review_hours=24)
    finish_due(CLOSED)
    sent = late("ann", 3, token="drawn")

    found = at_once([lambda: accept_late(competition, sent, "The network.", JUDGED, None).pk] * 2)

    assert found[0] == found[1] == Change.objects.get(kind="accepted").pk
    assert ranks(competition, JUDGED) == [("ann", 1, 7), ("bob", 2, 5)]


def test_a_late_score_of_before_its_player_joined_is_refused_as_a_score_in_time_is() -> None:
    competition = provisional()
    since = SOON + 5 * MINUTE
    Participant.objects.filter(player__external_id="ann").update(joined_at=since)

    with pytest.raises(errors.BadCompetition, match="ann takes part since") as refusal:
        accept_late(competition, late("ann", 30, happened_at=since - MINUTE), "Late.", JUDGED, None)
    before = ranks(competition, JUDGED)
    accept_late(competition, late("ann", 30, happened_at=since - timedelta(seconds=5)), "Late.", JUDGED, None)

    assert refusal.value.field == "happened_at"
    assert before[0] == ("ann", 1, 9)
    assert ranks(competition, JUDGED)[0] == ("ann", 1, 30)

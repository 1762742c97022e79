"""The jury voids scores, each with a reason on record that some may read. Late ones: `test_late_scores`."""

from typing import Any

import pytest

from competitions import errors
from competitions.models import Change, Competition, Participant, Revision
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import reveal
from competitions.services.lifecycle.publish import publish
from competitions.services.results.judge import void
from competitions.services.results.late_scores import LateScore, accept_late
from leaderboards import errors as refused
from leaderboards.models import FinalStanding, Standing, Submission
from leaderboards.services.moderation import correct_closed
from leaderboards.services.moderation.void import void_by_hand
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.open import open_period
from leaderboards.stores.sql.final import content_hash
from tests.competitions.factories import DAY, END, HOUR, MINUTE, START
from tests.competitions.services.mishaps import redis_away
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
        correct_closed.add_to_closed(calendar, correct_closed.LateEntry("ann", (1,), SOON), "jury", JUDGED)
    with pytest.raises(refused.PeriodOpen):
        correct_closed.void_in_closed(of("ann", 9), SOON)
    assert points_of(competition) == {"ann": 9}


def test_a_draft_has_nothing_to_judge() -> None:
    loose = draft()
    open_period(loose.board, loose.window)

    with pytest.raises(errors.NotClosed):
        accept_late(loose, late("ann", 1), "Late.", SOON, None)
    assert publish(loose, SOON, None).closed_at is None

"""An appeal: a voided score counts again, running and closed, as if it had never been voided."""

from datetime import timedelta
from typing import Any

import pytest

from competitions import errors
from competitions.models import Change, Competition, Participant, Revision
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import reveal
from competitions.services.participants.join import join, leave
from competitions.services.results import judge
from competitions.services.results.judge import unvoid, void
from competitions.services.results.late_scores import LateScore, accept_late
from leaderboards import errors as refused
from leaderboards.models import Submission
from leaderboards.services.moderation import correct_closed
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from leaderboards.services.periods.close import close_due
from leaderboards.services.players.erase import erase_player
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at, redis_away
from tests.competitions.services.results.test_judge import CLOSED, JUDGED, KEEPING, is_whole, of, provisional
from tests.competitions.site import (
    DAY,
    END,
    HOUR,
    MINUTE,
    SOON,
    make_board,
    period_of,
    player,
    points_of,
    race,
    ranks,
    reloaded,
    score,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

STANDING = [("ann", 1, 9), ("cleo", 2, 7), ("bob", 3, 5)]


def restored(competition: Competition, submission: Submission, reason: str = "It was theirs.", at: Any = JUDGED) -> Any:
    return unvoid(competition, submission, reason, at, None)


@pytest.mark.parametrize("storage", KEEPING)
def test_restored_after_the_closing_all_places_are_those_of_before_and_it_is_on_record_once(storage: str) -> None:
    competition = provisional(storage)
    before = (ranks(competition, JUDGED), period_of(competition).content_hash)
    for name, points in (("ann", 9), ("bob", 5)):  # bob has no other score
        void(competition, of(name, points), "Came by car.", JUDGED, None)

    with redis_away():  # closed periods are SQL's
        change = restored(competition, of("ann", 9), " It was theirs. ")
        restored(competition, of("bob", 5))
        again = restored(competition, of("ann", 9), "Again.")

    assert before[0] == STANDING
    assert (ranks(competition, JUDGED), period_of(competition).content_hash) == before
    assert is_whole(competition)
    assert again is None
    record = Change.objects.filter(kind="restored").order_by("pk")
    assert [(each.reason, each.details["player"], each.details["score"]) for each in record] == [
        ("It was theirs.", "ann", "9"),
        ("It was theirs.", "bob", "5"),
    ]
    assert change.details["submission"] == of("ann", 9).pk


def test_the_score_keeps_its_own_time_and_with_it_the_place_among_equals() -> None:
    competition = race({"ann": 9, "bob": 1}, review_hours=24)
    score(competition, {"bob": 9}, SOON + MINUTE)
    void(competition, of("ann", 9), "Came by car.", SOON + HOUR, None)

    running = (ranks(competition), restored(competition, of("ann", 9), at=SOON + HOUR), ranks(competition))
    finish_due(CLOSED)

    assert running[0] == [("bob", 1, 9)]
    assert running[2] == ranks(competition, JUDGED) == [("ann", 1, 9), ("bob", 2, 9)]
    assert points_of(competition) == {"ann": 9, "bob": 9}


def test_on_a_final_result_it_makes_the_next_revision_with_its_reason() -> None:
    competition = provisional()
    confirm(competition, JUDGED, None)

    void(competition, of("ann", 9), "Came by car.", JUDGED, None)
    restored(competition, of("ann", 9), "The car was hers.")
    restored(competition, of("ann", 9), "Again.")

    made = Revision.objects.order_by("number")
    assert [each.change.kind for each in made if each.change] == ["confirmed", "voided", "restored"]
    assert made[2].reason == "The car was hers."
    assert ranks(competition, JUDGED) == STANDING


def test_by_the_lists_of_scores_it_is_the_same_act() -> None:
    competition = race({"ann": 9})
    void(competition, of("ann", 9), "Came by car.", SOON, None)

    unvoid_by_hand(of("ann", 9), "It was theirs.", SOON, None)

    assert points_of(competition) == {"ann": 9}
    assert Change.objects.get(kind="restored").reason == "It was theirs."


def test_a_sum_counts_all_of_it_again_and_stops_at_the_boards_limit() -> None:
    board = make_board(update="increment", maximum=100, total_maximum=100)
    competition = race({"ann": 60}, board, review_hours=24)
    void(competition, of("ann", 60), "Came by car.", SOON, None)
    score(competition, {"ann": 30}, SOON + MINUTE)
    finish_due(CLOSED)
    accept_late(competition, LateScore(player("ann"), SOON, 50), "The network was down.", JUDGED, None)

    restored(competition, of("ann", 60))

    assert ranks(competition, JUDGED) == [("ann", 1, 100)]
    assert is_whole(competition)


def test_during_a_freeze_it_shows_with_the_reveal() -> None:
    competition = race({"ann": 9, "bob": 5}, freeze_minutes=60, review_hours=24)
    void(competition, of("ann", 9), "Came by car.", SOON, None)

    restored(competition, of("ann", 9), at=END - HOUR + MINUTE)
    frozen = ranks(competition, END - MINUTE)
    finish_due(CLOSED)
    hidden = ranks(competition, JUDGED)
    reveal(competition, JUDGED, None)

    assert frozen == hidden == [("bob", 1, 5)]
    assert ranks(competition, JUDGED) == [("ann", 1, 9), ("bob", 2, 5)]


def test_what_never_was_void_or_is_of_another_or_of_a_cancelled_one_is_refused() -> None:
    board = make_board()
    running, gone = race({"ann": 9}, board), race({"bob": 5}, board)
    void(gone, of("bob", 5), "Came by car.", SOON, None)
    cancel(gone, "Rain.", SOON, None)

    for competition, submission, reason, refusal in (
        (running, of("ann", 9), "Because.", errors.NotVoided),
        (running, of("ann", 9), " ", errors.BadCompetition),
        (running, of("bob", 5), "Because.", refused.UnknownCompetition),
        (gone, of("bob", 5), "Because.", errors.CompetitionOver),
    ):
        with pytest.raises(refusal):
            restored(competition, submission, reason, SOON)
    void(running, of("ann", 9), "Came by car.", SOON, None)
    close_due(CLOSED)  # nobody has marked it closed yet
    with pytest.raises(errors.NotClosed, match="being closed"):
        restored(running, of("ann", 9), at=CLOSED)

    assert not Change.objects.filter(kind="restored").exists()
    assert Submission.objects.filter(voided_at=None).count() == 0


def test_what_retention_may_have_begun_to_delete_is_not_restored() -> None:
    competition = provisional()
    kept = period_of(competition).board.keep_submissions_days * DAY
    for name, points in (("ann", 9), ("bob", 5)):
        void(competition, of(name, points), "Came by car.", JUDGED, None)
    gone = of("ann", 9)
    Submission.objects.filter(pk=gone.pk).delete()

    for submission, at in ((of("bob", 5), CLOSED + kept), (gone, JUDGED)):
        with pytest.raises(refused.SubmissionsDropped):
            restored(competition, submission, at=at)
    restored(competition, of("bob", 5), at=CLOSED + kept - MINUTE)

    assert ranks(competition, JUDGED) == [("cleo", 1, 7), ("bob", 2, 5), ("ann", 3, 4)]
    assert Change.objects.filter(kind="restored").count() == 1


def test_who_left_took_their_scores_along_and_who_joined_again_began_anew() -> None:
    competition = race({"ann": 9, "bob": 5}, review_hours=24)
    leave(competition, player("ann"), SOON + MINUTE)
    with pytest.raises(errors.NotAParticipant, match="bring them back first"):
        restored(competition, of("ann", 9), at=SOON + HOUR)

    join(competition, player("ann"), SOON + 2 * MINUTE)
    with pytest.raises(errors.BadCompetition, match="ann takes part since"):
        restored(competition, of("ann", 9), at=SOON + HOUR)

    assert points_of(competition) == {"bob": 5}
    assert Participant.objects.filter(left_at=None).count() == 2


def test_who_was_erased_gets_nothing_back() -> None:
    competition = provisional()
    void(competition, of("ann", 9), "Came by car.", JUDGED, None)
    seen = of("ann", 9)
    erase_player("ann", JUDGED)

    for each in (seen, Submission.objects.get(pk=seen.pk)):
        with pytest.raises(refused.UnknownPlayer):
            restored(competition, each)

    assert [points for _, _, points in ranks(competition, JUDGED)] == [7, 5, 4]
    assert not Change.objects.filter(kind="restored").exists()


@pytest.mark.parametrize(
    ("module", "step"),
    [
        (correct_closed, "correct.after_standing"),
        (correct_closed, "correct.before_commit"),
        (judge, "judge.before_commit"),
    ],
)
def test_who_dies_at_it_has_done_nothing_of_it(module: Any, step: str) -> None:
    competition = provisional()
    void(competition, of("ann", 9), "Came by car.", JUDGED, None)
    before = (ranks(competition, JUDGED), period_of(competition).content_hash)

    with dying_at(module, step):
        restored(competition, of("ann", 9))

    assert (ranks(competition, JUDGED), period_of(competition).content_hash) == before
    assert is_whole(competition)
    assert of("ann", 9).voided_at is not None
    assert not Change.objects.filter(kind="restored").exists()


def test_restored_and_confirmed_at_once_each_is_done_once_and_the_result_is_whole() -> None:
    competition = provisional()
    void(competition, of("ann", 9), "Came by car.", JUDGED, None)
    seen = of("ann", 9)

    at_once(
        [
            lambda: bool(restored(competition, seen)),
            lambda: bool(restored(competition, seen)),
            lambda: bool(confirm(competition, JUDGED, None)),
        ]
    )

    assert ranks(competition, JUDGED) == STANDING
    assert is_whole(competition)
    kinds = list(Change.objects.exclude(kind__in=("published", "voided")).order_by("pk").values_list("kind", flat=True))
    assert sorted(kinds) == ["confirmed", "restored"]
    revised = [each.change.kind for each in Revision.objects.order_by("number") if each.change]
    assert revised == kinds[kinds.index("confirmed") :]


def test_a_score_of_the_breath_in_which_its_player_joined_is_restored() -> None:
    competition = race({"ann": 9})
    Participant.objects.update(joined_at=SOON + timedelta(seconds=5))
    void(competition, of("ann", 9), "Came by car.", SOON, None)

    restored(competition, of("ann", 9), at=SOON + MINUTE)

    assert points_of(reloaded(competition)) == {"ann": 9}

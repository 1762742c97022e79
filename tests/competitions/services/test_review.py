"""Between closing and final: provisional for the review, and then final once, by somebody's word or by itself."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from competitions import errors
from competitions.models import Change, Competition, Participant, Revision, RewardGrant
from competitions.selectors.results.review import default_of, review_until
from competitions.services.erasure.anonymize import anonymize_player
from competitions.services.lifecycle import confirm as confirming
from competitions.services.lifecycle import finish as finishing
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import reveal
from competitions.services.participants.disqualify import disqualify, reinstate, remove
from competitions.services.participants.remove_withdrawn import remove_withdrawn_due
from competitions.services.rewards.reward import grant_due_rewards
from foundation.webhooks.models import WebhookDelivery
from leaderboards.services.periods.close import close_due
from tests.at_once import at_once
from tests.competitions.factories import DAY, END, HOUR, MINUTE, RewardTierFactory, SeriesFactory
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import finals, hooks, listening
from tests.competitions.site import (
    SOON,
    STORAGES,
    draft,
    make_board,
    open_competition,
    player,
    race,
    ranks,
    reloaded,
    score,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

FREEZE, CLOSED = END - HOUR, END + MINUTE
OVER = CLOSED + DAY


def reviewed(**settings: Any) -> Competition:
    """Ann is ahead of bob, and gold waits for the first; a review of a day unless told otherwise."""
    competition = race({"ann": 9, "bob": 5}, make_board(settings.pop("storage", "hybrid")), review_hours=24, **settings)
    RewardTierFactory.create(competition=competition)
    return competition


def phases(competition: Competition, *moments: datetime) -> list[str]:
    return [str(reloaded(competition).phase(at)) for at in moments]


@pytest.mark.parametrize("storage", STORAGES)
def test_it_is_provisional_for_the_review_and_final_by_itself_once(storage: str) -> None:
    competition = reviewed(storage=storage)
    listening()
    before = phases(competition, CLOSED)

    closed = [finish_due(at) for at in (CLOSED, CLOSED + MINUTE, OVER - MINUTE)]
    under_review = reloaded(competition)
    grant_due_rewards(OVER - MINUTE)
    nothing_yet = (hooks(), Revision.objects.count(), RewardGrant.objects.count())
    final = [finish_due(at) for at in (OVER, OVER + MINUTE)]
    grant_due_rewards(OVER + MINUTE)

    assert (before, closed, final) == (["closing"], [0, 0, 0], [1, 0])
    assert (under_review.closed_at, under_review.final_at, under_review.phase(OVER)) == (CLOSED, None, "provisional")
    assert review_until(under_review) == OVER
    assert nothing_yet == ([], 0, 0)
    assert (reloaded(competition).final_at, phases(competition, OVER)) == (OVER, ["final"])
    assert review_until(reloaded(competition)) is None
    assert [kind for kind, _ in hooks()] == ["competition.final", "reward.granted"]
    assert [each.number for each in Revision.objects.all()] == [1]


@pytest.mark.parametrize(
    ("hours", "settings", "tier_of", "length"),
    [
        (None, {}, None, timedelta()),
        (None, {"freeze_minutes": 60}, None, DAY),
        (None, {}, "competition", DAY),
        (None, {}, "board", DAY),
        (0, {"freeze_minutes": 60}, "competition", timedelta()),
        (2, {}, None, 2 * HOUR),
    ],
)
def test_a_review_lasts_a_day_where_somebody_wins_or_waits_for_a_reveal_unless_it_is_set(
    hours: int | None, settings: dict[str, Any], tier_of: str | None, length: timedelta
) -> None:
    competition = open_competition(review_hours=hours, **settings)
    if tier_of:
        RewardTierFactory.create(**{tier_of: competition if tier_of == "competition" else competition.board})
    other = open_competition(make_board("sql"))
    RewardTierFactory.create(competition=other)

    finish_due(CLOSED)
    found = reloaded(competition)

    assert (found.closed_at, found.final_at) == (CLOSED, None if length else CLOSED)
    assert review_until(found) == (CLOSED + length if length else None)
    assert finish_due(CLOSED + length - MINUTE) == 0
    finish_due(CLOSED + length)
    assert reloaded(competition).final_at == CLOSED + length
    assert default_of(draft(competition.board, freeze_minutes=1)) == DAY


def test_points_of_a_series_are_a_prize_so_its_competitions_are_reviewed_for_a_day() -> None:
    competition, other = open_competition(review_hours=None), open_competition(review_hours=None)
    SeriesFactory.create(competitions=[competition])

    finish_due(CLOSED)

    assert review_until(reloaded(competition)) == CLOSED + DAY
    assert (reloaded(competition).final_at, reloaded(other).final_at) == (None, CLOSED)


def test_confirmed_it_is_final_once_with_its_first_revision_and_the_review_comes_too_late() -> None:
    competition = reviewed()
    listening()
    finish_due(CLOSED)

    confirm(competition, CLOSED + HOUR, None, " All is well. ")
    confirm(competition, CLOSED + 2 * HOUR, None, "Again.")

    assert finish_due(OVER) == 0
    assert reloaded(competition).final_at == CLOSED + HOUR
    change = Change.objects.get(kind="confirmed")
    assert (change.reason, change.at) == ("All is well.", CLOSED + HOUR)
    assert [(each.number, each.change) for each in Revision.objects.all()] == [(1, change)]
    assert hooks() == [("competition.final", f"competition-{competition.pk}-final")]
    assert Change.objects.filter(kind="confirmed").count() == 1


def test_what_is_not_closed_or_was_cancelled_is_not_confirmed() -> None:
    board = make_board()
    closing = open_competition(board, review_hours=24)
    gone = cancel(open_competition(board), "Rain.", SOON, None)
    close_due(CLOSED)  # its period is closed, and nobody has noticed yet

    for competition, refusal in ((draft(board), errors.NotClosed), (closing, errors.NotClosed)):
        with pytest.raises(refusal, match="not closed yet"):
            confirm(competition, CLOSED, None)
    with pytest.raises(errors.CompetitionOver, match="no result"):
        confirm(gone, CLOSED, None)
    finish_due(CLOSED)
    with pytest.raises(errors.BadCompetition, match="300"):
        confirm(closing, CLOSED, None, "x" * 301)
    assert not Competition.objects.exclude(final_at=None).exists()


def test_revealed_before_it_is_confirmed_everybody_sees_it_as_provisional() -> None:
    competition = reviewed(freeze_minutes=60)
    score(competition, {"bob": 99}, FREEZE)
    finish_due(CLOSED)
    hidden = (phases(competition, CLOSED), ranks(competition, CLOSED)[0][0])

    reveal(competition, CLOSED + HOUR, None)
    shown = (phases(competition, CLOSED + HOUR), ranks(competition, CLOSED + HOUR)[0][0])
    grant_due_rewards(CLOSED + HOUR)
    early = RewardGrant.objects.count()
    confirm(competition, CLOSED + 2 * HOUR, None)
    grant_due_rewards(CLOSED + 2 * HOUR)

    assert hidden == (["frozen"], "ann")
    assert shown == (["provisional"], "bob")
    assert (early, phases(competition, OVER)) == (0, ["final"])
    assert RewardGrant.objects.get().player.external_id == "bob"


def test_confirmed_before_it_is_revealed_it_stays_hidden_and_nobody_has_won() -> None:
    competition = reviewed(freeze_minutes=60)
    score(competition, {"bob": 99}, FREEZE)
    finish_due(CLOSED)

    confirm(competition, CLOSED + HOUR, None)
    grant_due_rewards(CLOSED + HOUR)
    hidden = (phases(competition, OVER), ranks(competition, OVER)[0][0], RewardGrant.objects.count())
    reveal(competition, OVER, None)
    grant_due_rewards(OVER)

    assert hidden == (["frozen"], "ann", 0)
    assert (phases(competition, OVER), ranks(competition, OVER)[0][0]) == (["final"], "bob")
    assert RewardGrant.objects.get().player.external_id == "bob"


def test_cancelled_while_provisional_nothing_is_final_and_nothing_is_won() -> None:
    competition = reviewed()
    listening()
    finish_due(CLOSED)

    cancel(competition, "The scales were broken.", CLOSED + HOUR, None)
    grant_due_rewards(OVER)

    assert (finish_due(OVER), phases(competition, OVER)) == (0, ["cancelled"])
    assert (RewardGrant.objects.count(), Revision.objects.count()) == (0, 0)
    assert [kind for kind, _ in hooks()] == ["competition.cancelled"]


def test_disqualified_while_provisional_others_move_up_and_only_on_a_final_one_it_makes_a_revision() -> None:
    competition = reviewed()
    finish_due(CLOSED)

    disqualify(competition, player("ann"), "Came by car.", CLOSED, None)
    provisional = (ranks(competition, CLOSED), Revision.objects.count())
    confirm(competition, CLOSED + HOUR, None)
    reinstate(competition, player("ann"), "It was a bicycle.", CLOSED + 2 * HOUR, None)
    disqualify(competition, player("bob"), "Came by car.", CLOSED + 2 * HOUR, None)

    assert provisional == ([("bob", 1, 5)], 0)
    kinds = [each.change.kind if each.change else "" for each in Revision.objects.order_by("number")]
    assert kinds == ["confirmed", "reinstated", "disqualified"]


def test_who_takes_part_when_it_closes_is_neither_removed_nor_a_stray_nor_gone_when_erased() -> None:
    competition = reviewed()
    finish_due(CLOSED)

    with pytest.raises(errors.CompetitionOver, match="closed"):
        remove(competition, player("ann"), "Because.", CLOSED, None)
    with transaction.atomic():
        anonymize_player(player("ann"), CLOSED)
    Participant.objects.filter(player__external_id="bob").update(left_at=CLOSED)

    assert Participant.objects.get(player__external_id="ann").left_at is None
    assert remove_withdrawn_due(CLOSED) == 0


def test_made_final_by_many_at_once_it_is_final_once() -> None:
    competition = reviewed()
    listening()
    finish_due(CLOSED)

    at_once([lambda: finish_due(OVER)] * 2 + [lambda: bool(confirm(competition, OVER, None))] * 2)

    assert hooks() == [("competition.final", f"competition-{competition.pk}-final")]
    assert Revision.objects.count() == 1
    assert Change.objects.filter(kind="confirmed").count() <= 1


def test_whoever_dies_while_it_becomes_final_leaves_nothing_of_it_and_the_next_run_goes_on() -> None:
    competition = reviewed()
    listening()

    with dying_at(finishing, "finish.after_close"):
        finish_due(CLOSED)
    unmarked = reloaded(competition).closed_at
    finish_due(CLOSED + MINUTE)
    with dying_at(confirming, "confirm.before_commit"):
        finish_due(OVER + MINUTE)
    left = (reloaded(competition).final_at, Revision.objects.count(), WebhookDelivery.objects.count())

    assert unmarked is None
    assert reloaded(competition).closed_at == CLOSED + MINUTE
    assert left == (None, 0, 0)
    assert finish_due(OVER + MINUTE) == 1
    assert (Revision.objects.count(), len(hooks()), len(finals())) == (1, 1, 1)

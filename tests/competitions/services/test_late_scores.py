"""Late scores that a jury accepts: each counts as if it had come in time, once, and none that nobody may have."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from competitions import errors
from competitions.models import Change, Participant
from competitions.services.lifecycle.finish import finish_due
from competitions.services.participants.disqualify import disqualify
from competitions.services.results.late_scores import accept_late
from foundation.errors import SunwiError
from leaderboards import errors as refused
from leaderboards.models import Player, Submission
from tests.at_once import at_once
from tests.competitions.factories import END, MINUTE, START
from tests.competitions.services.mishaps import redis_away
from tests.competitions.services.results.test_judge import CLOSED, JUDGED, is_whole, late, provisional
from tests.competitions.site import SOON, STORAGES, make_board, player, race, ranks

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


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

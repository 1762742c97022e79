"""What was done to somebody during a ban is told once they are let in again, as far as it holds by then."""

from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from competitions.models import Competition
from competitions.services.notices import after_ban as module
from competitions.services.notices.after_ban import NOTIFY_WITHIN, notify_after_bans
from competitions.services.participants.bring_back import bring_back
from competitions.services.participants.disqualify import disqualify, reinstate, remove
from competitions.services.participants.join import join
from competitions.services.results.judge import unvoid, void
from leaderboards.models import Submission
from leaderboards.services.moderation.ban import ban, unban
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import notices
from tests.competitions.site import MINUTE, SOON, player, race, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LIFTED = SOON + 9 * MINUTE
LATER = LIFTED + MINUTE


def banned() -> Competition:
    competition = race({"ann": 9, "bob": 5})
    ban([player("ann").pk], "A bot?", SOON + MINUTE, None)
    return competition


def let_in() -> None:
    unban([player("ann").pk], "No bot.", LIFTED, None)


def test_a_disqualification_during_a_ban_is_told_once_after_it_and_not_during_it() -> None:
    competition = banned()
    disqualify(competition, player("ann"), "Found a bot.", SOON + 2 * MINUTE, None)
    during = notify_after_bans(SOON + 3 * MINUTE)
    let_in()

    with dying_at(module):
        notify_after_bans(LATER)
    told = at_once([lambda: notify_after_bans(LATER), lambda: notify_after_bans(LATER)])

    assert (during, sum(told), notify_after_bans(LATER)) == (0, 1, 0)
    assert notices() == [("ann", "disqualified")]


def test_what_was_undone_during_the_ban_is_told_to_nobody() -> None:
    competition = banned()
    for act, nth in ((disqualify, 2), (reinstate, 3), (remove, 4), (bring_back, 5)):
        act(competition, player("ann"), "A mistake.", SOON + nth * MINUTE, None)
    let_in()

    assert (notify_after_bans(LATER), notices()) == (0, [])


def test_who_heard_of_a_disqualification_before_hears_that_it_was_undone_during_the_ban() -> None:
    competition = race({"ann": 9})
    disqualify(competition, player("ann"), "A car.", SOON, None)
    ban([player("ann").pk], "A bot?", SOON + MINUTE, None)
    reinstate(competition, player("ann"), "No car.", SOON + 2 * MINUTE, None)
    let_in()

    assert notify_after_bans(LATER) == 1
    assert notices() == [("ann", "disqualified"), ("ann", "reinstated")]


def test_who_is_back_by_then_is_not_told_that_they_were_removed_and_who_is_not_is_told() -> None:
    second, first = race({"ann": 9}, name="Second"), banned()
    for competition in (first, second):
        remove(competition, player("ann"), "No fee.", SOON + 2 * MINUTE, None)
    let_in()
    join(first, player("ann"), LIFTED)

    assert notify_after_bans(LATER) == 1
    assert notices() == [("ann", "removed")]


def test_a_score_that_is_void_by_then_is_told_and_one_that_was_restored_is_not() -> None:
    competition = banned()
    score(competition, {"bob": 7, "cleo": 1})
    [nine], [five] = (Submission.objects.filter(points=points) for points in (9, 5))
    ban([player("bob").pk], "A bot?", SOON + MINUTE, None)
    for act, of, nth in ((void, nine, 2), (void, five, 3), (unvoid, five, 4)):
        act(competition, of, "A car.", SOON + nth * MINUTE, None)
    during = notify_after_bans(SOON + 5 * MINUTE)
    unban([player("ann").pk, player("bob").pk], "No bots.", LIFTED, None)

    assert (during, notify_after_bans(LATER), notify_after_bans(LATER)) == (0, 1, 0)
    assert notices() == [("ann", "score_voided")]


def test_nothing_is_held_or_asked_one_by_one_for_what_can_never_be_news() -> None:
    competition = race({"ann": 9})
    score(competition, {"ann": 11})
    score(competition, {"ann": 12})
    ban([player("ann").pk], "A bot?", SOON + MINUTE, None)
    scores = list(Submission.objects.filter(player=player("ann")))
    for act, nth in ((void, 2), (unvoid, 3)):
        for each in scores:
            act(competition, each, "A car?", SOON + nth * MINUTE, None)
    let_in()

    with patch.object(module, "lock_competition") as locked, CaptureQueriesContext(connection) as asked:
        notify_after_bans(LATER)

    assert len(scores) == 3
    assert (locked.called, sum("banrecord" in each["sql"] for each in asked)) == (False, 2)


def test_a_score_heard_of_as_void_is_told_again_only_once_it_counts() -> None:
    competition = race({"ann": 9, "bob": 5})
    for each in Submission.objects.all():
        void(competition, each, "A car.", SOON, None)
    ban([player("ann").pk, player("bob").pk], "Bots?", SOON + MINUTE, None)
    for each in Submission.objects.all():
        unvoid(competition, each, "No car.", SOON + 2 * MINUTE, None)
    void(competition, Submission.objects.get(points=9), "A car after all.", SOON + 3 * MINUTE, None)
    unban([player("ann").pk, player("bob").pk], "No bots.", LIFTED, None)

    assert (notify_after_bans(LATER), notify_after_bans(LATER)) == (1, 0)
    assert sorted(notices()) == [("ann", "score_voided"), ("bob", "score_restored"), ("bob", "score_voided")]


def test_it_stops_after_some_seconds_and_the_next_run_tells_the_rest() -> None:
    disqualify(banned(), player("ann"), "Found a bot.", SOON + 2 * MINUTE, None)
    let_in()

    with patch.object(module, "BUDGET_SECONDS", 0.0):
        assert notify_after_bans(LATER) == 0
    assert notify_after_bans(LATER) == 1


def test_a_ban_that_ended_long_ago_is_no_news() -> None:
    disqualify(banned(), player("ann"), "Found a bot.", SOON + 2 * MINUTE, None)
    let_in()

    assert notify_after_bans(LIFTED + NOTIFY_WITHIN) == 0

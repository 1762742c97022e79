"""What was done to somebody during a ban is told once they are let in again, as far as it holds by then."""

import pytest

from competitions.models import Competition
from competitions.services import tell_let_in as module
from competitions.services.bring_back import bring_back
from competitions.services.disqualify import disqualify, reinstate, remove
from competitions.services.join import join
from competitions.services.judge import unvoid, void
from competitions.services.tell_let_in import NEWS_FOR, tell_let_in
from leaderboards.models import Submission
from leaderboards.services.ban import ban, lift
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
    lift([player("ann").pk], "No bot.", LIFTED, None)


def test_a_disqualification_during_a_ban_is_told_once_after_it_and_not_during_it() -> None:
    competition = banned()
    disqualify(competition, player("ann"), "Found a bot.", SOON + 2 * MINUTE, None)
    during = tell_let_in(SOON + 3 * MINUTE)
    let_in()

    with dying_at(module):
        tell_let_in(LATER)
    told = at_once([lambda: tell_let_in(LATER), lambda: tell_let_in(LATER)])

    assert (during, sum(told), tell_let_in(LATER)) == (0, 1, 0)
    assert notices() == [("ann", "disqualified")]


def test_what_was_undone_during_the_ban_is_told_to_nobody() -> None:
    competition = banned()
    for act, nth in ((disqualify, 2), (reinstate, 3), (remove, 4), (bring_back, 5)):
        act(competition, player("ann"), "A mistake.", SOON + nth * MINUTE, None)
    let_in()

    assert (tell_let_in(LATER), notices()) == (0, [])


def test_who_heard_of_a_disqualification_before_hears_that_it_was_undone_during_the_ban() -> None:
    competition = race({"ann": 9})
    disqualify(competition, player("ann"), "A car.", SOON, None)
    ban([player("ann").pk], "A bot?", SOON + MINUTE, None)
    reinstate(competition, player("ann"), "No car.", SOON + 2 * MINUTE, None)
    let_in()

    assert tell_let_in(LATER) == 1
    assert notices() == [("ann", "disqualified"), ("ann", "reinstated")]


def test_who_is_back_by_then_is_not_told_that_they_were_removed_and_who_is_not_is_told() -> None:
    second, first = race({"ann": 9}, name="Second"), banned()
    for competition in (first, second):
        remove(competition, player("ann"), "No fee.", SOON + 2 * MINUTE, None)
    let_in()
    join(first, player("ann"), LIFTED)

    assert tell_let_in(LATER) == 1
    assert notices() == [("ann", "removed")]


def test_a_score_that_is_void_by_then_is_told_and_one_that_was_restored_is_not() -> None:
    competition = banned()
    score(competition, {"bob": 7, "cleo": 1})
    [nine], [five] = (Submission.objects.filter(points=points) for points in (9, 5))
    ban([player("bob").pk], "A bot?", SOON + MINUTE, None)
    for act, of, nth in ((void, nine, 2), (void, five, 3), (unvoid, five, 4)):
        act(competition, of, "A car.", SOON + nth * MINUTE, None)
    during = tell_let_in(SOON + 5 * MINUTE)
    lift([player("ann").pk, player("bob").pk], "No bots.", LIFTED, None)

    assert (during, tell_let_in(LATER), tell_let_in(LATER)) == (0, 1, 0)
    assert notices() == [("ann", "score_voided")]


def test_a_ban_that_ended_long_ago_is_no_news() -> None:
    disqualify(banned(), player("ann"), "Found a bot.", SOON + 2 * MINUTE, None)
    let_in()

    assert tell_let_in(LIFTED + NEWS_FOR) == 0

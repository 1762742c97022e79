"""Dead letters and differences in the admin, and voiding a submission there."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from foundation import clock
from foundation.models import DeadLetter
from leaderboards.models import Difference, Period, Player, Standing, State, Submission
from leaderboards.services.mirror import mirror
from tests.leaderboards.admin.typed import page
from tests.leaderboards.services.site import follow, make_board, period_of, points, refused_by_sql, score

pytestmark = pytest.mark.django_db(transaction=True)

LETTERS = "/admin/foundation/deadletter/"
SUBMISSIONS = "/admin/leaderboards/submission/"


def act(client: Client, address: str, action: str, *rows: DeadLetter | Submission) -> str:
    answer = client.post(address, {"action": action, "_selected_action": [row.pk for row in rows]}, follow=True)
    return answer.content.decode()


@pytest.fixture
def poisoned(links: None) -> Period:
    """A redis board's period in which SQL refuses one player."""
    board = make_board("redis", clock.now())
    score(board, {"poison": 1}, clock.now())
    period = period_of(board, clock.now())
    follow(period)
    return period


def test_a_dead_letter_says_why_and_is_retried(admin: Client, poisoned: Period) -> None:
    with refused_by_sql(Player.objects.get()):
        score(poisoned.board, {"poison": 9}, clock.now())
        mirror(poisoned)
        letter = DeadLetter.objects.get()
        html = page(admin, f"{LETTERS}{letter.pk}/change/")
        assert "refuses_one_player" in html
        assert "&quot;player&quot;: &quot;poison&quot;" in html

        assert "refused again" in act(admin, LETTERS, "retry", letter)

    assert f"{letter.subject}: done." in act(admin, LETTERS, "retry", letter)
    assert Standing.objects.get().points == 9
    assert LogEntry.objects.count() == 2


def test_a_dead_letter_is_dropped(admin: Client, poisoned: Period) -> None:
    with refused_by_sql(Player.objects.get()):
        score(poisoned.board, {"poison": 9}, clock.now())
        mirror(poisoned)

    assert "dropped." in act(admin, LETTERS, "drop", DeadLetter.objects.get())

    assert DeadLetter.objects.get().resolution == "dropped"
    assert Standing.objects.get().points == 1


def test_a_stranger_can_neither_see_nor_act(stranger: Client, poisoned: Period) -> None:
    DeadLetter.note("mirror", f"{poisoned.pk}:poison", {}, "why", clock.now())

    assert stranger.get(LETTERS).status_code == 403
    answer = stranger.post(LETTERS, {"action": "drop", "_selected_action": [DeadLetter.objects.get().pk]})

    assert answer.status_code == 403
    assert DeadLetter.objects.get().resolved_at is None


def test_a_difference_shows_both_scores(admin: Client, poisoned: Period) -> None:
    Difference.objects.create(
        period=poisoned, player="alice", in_sql=5.0, in_redis=None, repaired=True, found_at=clock.now()
    )

    html = page(admin, "/admin/leaderboards/difference/")

    assert '<td class="field-in_sql">5.0</td>' in html
    assert '<td class="field-in_redis">-</td>' in html


def test_a_voided_submission_gives_way_to_the_next_best(admin: Client, links: None) -> None:
    board = make_board("hybrid", clock.now())
    for number in (5, 9):
        score(board, {"alice": number}, clock.now())

    html = act(admin, SUBMISSIONS, "void", Submission.objects.get(points=9))

    assert "Voided: 1." in html
    assert points(board, clock.now()) == {"alice": 5}


def test_one_submission_of_a_closed_period_does_not_keep_the_others(admin: Client, links: None) -> None:
    board = make_board("hybrid", clock.now())
    for at in (clock.now() - timedelta(seconds=1), clock.now()):
        score(board, {"alice": 5, "bob": 7}, at)
    other = make_board("hybrid", clock.now(), name="other")
    score(other, {"alice": 5}, clock.now())
    Period.objects.filter(board=other).update(state=State.FINAL)

    html = act(admin, SUBMISSIONS, "void", *Submission.objects.all())

    assert "is closed; its standings stay" in html
    assert points(board, clock.now()) == {}
    assert points(other, clock.now()) == {"alice": 5}

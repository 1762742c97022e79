"""Dead letters and differences in the admin, and voiding and restoring a submission there."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from foundation import clock
from foundation.models import DeadLetter
from leaderboards import selectors
from leaderboards.admin.scores import submission_admin as scores
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.models import Difference, Period, PeriodState, Player, Standing, Submission
from leaderboards.services.sync.mirror import mirror
from tests.leaderboards.admin.typed import act, page
from tests.leaderboards.factories import PeriodFactory
from tests.leaderboards.services.site import follow, make_board, period_of, points, refused_by_sql, score

pytestmark = pytest.mark.django_db(transaction=True)

LETTERS = "/admin/foundation/deadletter/"
SUBMISSIONS = "/admin/leaderboards/submission/"


def edit(client: Client, letter: DeadLetter, **typed: object) -> str:
    address = f"{LETTERS}{letter.pk}/edit/"
    form = client.get(address).context["form"]
    return client.post(address, {**form.initial, **typed}, follow=True).content.decode()


@pytest.fixture
def poisoned(links: None) -> Period:
    """A redis board's period in which SQL refuses one player."""
    board = make_board("redis", clock.now())
    score(board, {"poison": 1}, clock.now())
    period = period_of(board, clock.now())
    follow(period)
    return period


def refused_letter(poisoned: Period) -> DeadLetter:
    """What is set aside when the player scores 9, while SQL refuses them."""
    score(poisoned.board, {"poison": 9}, clock.now())
    mirror(poisoned)
    return DeadLetter.objects.get()


def test_a_dead_letter_says_why_and_is_retried_or_dropped(admin: Client, poisoned: Period) -> None:
    with refused_by_sql(Player.objects.get()):
        letter = refused_letter(poisoned)
        html = page(admin, f"{LETTERS}{letter.pk}/change/")
        assert "refuses_one_player" in html
        assert "&quot;player&quot;: &quot;poison&quot;" in html
        assert "SQL keeps what it has of this standing" in html

        assert "refused again" in act(admin, LETTERS, "retry", letter)

    assert f"{letter.subject}: done." in act(admin, LETTERS, "retry", letter)
    assert Standing.objects.get().points == 9
    with refused_by_sql(Player.objects.get()):
        score(poisoned.board, {"poison": 11}, clock.now())
        mirror(poisoned)
    assert "dropped." in act(admin, LETTERS, "drop", DeadLetter.objects.get(resolved_at=None))
    assert Standing.objects.get().points == 9
    said = [noted.get_change_message() for noted in LogEntry.objects.order_by("pk")]
    assert said == ["Retried: refused again.", "Retried: done.", "Dropped."]


def test_a_dead_letter_is_edited_by_the_rules_of_its_board_and_it_is_noted_who_did_it(
    admin: Client, poisoned: Period
) -> None:
    with refused_by_sql(Player.objects.get()):
        letter = refused_letter(poisoned)
        assert "refused again" in edit(admin, letter, worth="8")
        assert points(poisoned.board, clock.now()) == {"poison": 1}
    assert "/edit/" in page(admin, f"{LETTERS}{letter.pk}/change/")

    for typed, said in (
        ({"worth": "2147483648"}, "must be 0 to 2,147,483,647"),
        ({"worth": "7.5"}, "no decimals"),
        ({"at": "2020-01-01T00:00:00Z"}, "outside period"),
        ({"at": "yesterday"}, "RFC 3339"),
    ):
        assert said in edit(admin, letter, **typed)
    assert DeadLetter.objects.get().resolved_at is None
    assert f"{letter.subject}: done." in edit(admin, letter, worth="7")

    assert points(poisoned.board, clock.now()) == {"poison": 7}
    assert (DeadLetter.objects.get().resolution, DeadLetter.objects.get().tries) == ("mirrored", 2)
    noted = LogEntry.objects.order_by("pk")[1]
    assert (noted.user.get_username(), noted.object_id) == ("admin", str(letter.pk))
    assert re.match(r"Edited to 7 at .+, before 8 at .+: done\.", noted.get_change_message())
    assert admin.get(f"{LETTERS}{letter.pk}/edit/").status_code == 404
    assert "/edit/" not in page(admin, f"{LETTERS}{letter.pk}/change/")


def test_a_player_who_scores_meanwhile_keeps_what_they_scored(admin: Client, poisoned: Period) -> None:
    with refused_by_sql(Player.objects.get()):
        letter = refused_letter(poisoned)
        form = admin.get(f"{LETTERS}{letter.pk}/edit/").context["form"]
        score(poisoned.board, {"poison": 12}, clock.now())

        html = admin.post(f"{LETTERS}{letter.pk}/edit/", form.initial | {"worth": "3"}, follow=True).content.decode()

    assert "has scored meanwhile" in html
    assert "has scored meanwhile" in LogEntry.objects.get().get_change_message()
    follow(poisoned)
    assert points(poisoned.board, clock.now()) == {"poison": 12}


def test_where_nothing_can_be_mirrored_a_retry_says_so_and_not_the_old_reason(admin: Client, poisoned: Period) -> None:
    DeadLetter.note("mirror", f"{poisoned.pk}:poison", {"period": poisoned.pk, "player": "poison"}, "old", clock.now())
    letter = DeadLetter.objects.get()

    for case, said in (
        ({"stale_since": clock.now()}, "being brought up to date"),
        ({"state": PeriodState.FINAL}, "is final"),
    ):
        Period.objects.filter(pk=poisoned.pk).update(**case)

        retried = act(admin, LETTERS, "retry", letter)

        assert said in retried
        assert said in admin.get(f"{LETTERS}{letter.pk}/edit/", follow=True).content.decode()
        assert "refused again" not in retried


def test_a_letter_of_an_app_that_is_not_there_stays(admin: Client) -> None:
    DeadLetter.note("poem", "1", {}, "no paper", clock.now())
    letter = DeadLetter.objects.get()

    told = [act(admin, LETTERS, action, letter) for action in ("retry", "drop")]
    told.append(page(admin, f"{LETTERS}{letter.pk}/change/"))

    assert all("Nothing that runs here does work of the kind" in html for html in told)
    assert DeadLetter.objects.get().resolved_at is None
    assert not LogEntry.objects.exists()


def test_a_stranger_can_neither_see_nor_act(stranger: Client, poisoned: Period) -> None:
    DeadLetter.note("mirror", f"{poisoned.pk}:poison", {}, "why", clock.now())
    letter = DeadLetter.objects.get()

    listed, edited = (stranger.get(address) for address in (LETTERS, f"{LETTERS}{letter.pk}/edit/"))
    dropped = stranger.post(LETTERS, {"action": "drop", "_selected_action": [letter.pk]})

    assert [answer.status_code for answer in (listed, edited, dropped)] == [403, 403, 403]
    assert DeadLetter.objects.get().resolved_at is None


def test_a_difference_shows_both_scores(admin: Client) -> None:
    Difference.objects.create(
        period=PeriodFactory.create(), player="alice", in_sql=5.0, in_redis=None, repaired=True, found_at=clock.now()
    )

    html = page(admin, "/admin/leaderboards/difference/")

    assert 'class="field-in_sql">5.0</td>' in html
    assert 'class="field-in_redis">-</td>' in html


def test_voided_submissions_give_way_to_the_next_best_and_one_of_a_closed_period_keeps_no_others(
    admin: Client, links: None
) -> None:
    board, other = make_board("hybrid", clock.now()), make_board("hybrid", clock.now(), name="other")
    for number in (5, 9):
        score(board, {"alice": number}, clock.now())
    score(other, {"alice": 5}, clock.now())
    Period.objects.filter(board=other).update(state=PeriodState.FINAL)

    sure = {"confirmed": "1", "reason": "a bot"}
    one = act(admin, SUBMISSIONS, "void", Submission.objects.get(points=9), **sure)
    after_one = points(board, clock.now())
    all_others = act(admin, SUBMISSIONS, "void", *Submission.objects.all(), **sure)

    assert "Voided: 1." in one
    assert after_one == {"alice": 5}
    assert "is closed; its standings stay" in all_others
    assert points(board, clock.now()) == {}
    assert points(other, clock.now()) == {"alice": 5}


@pytest.mark.parametrize(("ties", "then"), [("first_come", 3), ("shared", 3), ("dense", 2)])
def test_voiding_is_asked_once_more_with_a_reason_and_what_it_does_to_ranks(
    admin: Client, links: None, ties: str, then: int
) -> None:
    board = make_board("hybrid", clock.now(), ties=ties)
    score(board, {"bob": 7, "carol": 3, "alice": 3}, clock.now())
    score(board, {"carol": 7}, clock.now())
    score(board, {"alice": 9}, clock.now())
    best, only = Submission.objects.get(points=9), Submission.objects.get(player__external_id="bob")
    name = f"{board.name}, {period_in_words(best.period)}"

    asked = act(admin, SUBMISSIONS, "void", best, only)
    no_reason = act(admin, SUBMISSIONS, "void", best, only, confirmed="1", reason=" ")
    too_long = act(admin, SUBMISSIONS, "void", best, only, confirmed="1", reason="x" * 301)
    before = points(board, clock.now())
    done = act(admin, SUBMISSIONS, "void", best, confirmed="1", reason="a bot")

    assert f"alice, {name}: 9 points. Now: rank 1 with 9 points. Then: rank {then} with 3 points." in asked
    assert "Then: not ranked." in asked
    for again in (no_reason, too_long):
        assert "Give a reason of 1 to 300 characters." in again
    assert before == {"alice": 9, "bob": 7, "carol": 7}
    assert "Voided: 1." in done
    assert selectors.ranks(best.period, ["alice"])["alice"] == then
    assert LogEntry.objects.get().change_message == "Voided: a bot"


@pytest.mark.parametrize(("ties", "then"), [("first_come", 2), ("last_come", 1)])
def test_restoring_is_asked_once_more_with_a_reason_and_what_it_does_to_ranks(
    admin: Client, links: None, ties: str, then: int
) -> None:
    board = make_board("hybrid", clock.now(), ties=ties)
    score(board, {"bob": 9, "alice": 3}, clock.now())
    score(board, {"alice": 9}, clock.now() + timedelta(seconds=2))
    best, counting = Submission.objects.get(points=9, player__external_id="alice"), Submission.objects.get(points=3)
    act(admin, SUBMISSIONS, "void", best, confirmed="1", reason="a bot")
    name = f"{board.name}, {period_in_words(best.period)}"

    asked = act(admin, SUBMISSIONS, "restore", best, counting)
    no_reason = act(admin, SUBMISSIONS, "restore", best, confirmed="1", reason=" ")
    before = points(board, clock.now())
    done = act(admin, SUBMISSIONS, "restore", best, counting, confirmed="1", reason="a person")
    again = act(admin, SUBMISSIONS, "restore", best, confirmed="1", reason="a person")

    assert f"alice, {name}: 9 points. Now: rank 2 with 3 points. Then: rank {then} with 9 points." in asked
    assert f'value="{best.pk}"' in asked
    assert f'name="_selected_action" value="{counting.pk}"' not in asked
    assert "Give a reason of 1 to 300 characters." in no_reason
    assert before == {"alice": 3, "bob": 9}
    assert "Restored: 1." in done
    assert selectors.ranks(best.period, ["alice"])["alice"] == then
    assert "None of the selected submissions is void" in again
    noted = LogEntry.objects.order_by("pk").values_list("change_message", "user__username", "object_id")
    assert list(noted)[1:] == [("Restored: a person", "admin", str(best.pk))]


def test_restoring_in_a_closed_period_is_refused_and_keeps_no_others_and_there_is_a_most(
    admin: Client, links: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, other = make_board("hybrid", clock.now()), make_board("hybrid", clock.now(), name="other")
    for each in (board, other):
        score(each, {"alice": 5}, clock.now())
    every = list(Submission.objects.order_by("pk"))
    act(admin, SUBMISSIONS, "void", *every, confirmed="1", reason="a bot")
    Period.objects.filter(board=other).update(state=PeriodState.FINAL)

    asked = act(admin, SUBMISSIONS, "restore", *every)
    done = act(admin, SUBMISSIONS, "restore", *every, confirmed="1", reason="a person")
    act(admin, SUBMISSIONS, "void", every[0], confirmed="1", reason="a bot")
    monkeypatch.setattr(scores, "MOST_AT_ONCE", 1)
    too_many = act(admin, SUBMISSIONS, "restore", *every)

    assert "Now: not ranked. Then: rank 1 with 5 points." in asked
    assert ": 5 points. Its period is closed: this one stays." in asked
    assert "is closed; its standings stay" in done
    assert "Restored: 1." in done
    assert points(other, clock.now()) == {}
    assert "Restore up to 1 submissions at once." in too_many


def test_so_is_one_that_changes_nothing_or_stays_and_no_more_than_some_at_once(
    admin: Client, links: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board("hybrid", clock.now())
    for number in (9, 5):
        score(board, {"alice": number}, clock.now())
    every = Submission.objects.order_by("pk")

    unchanged = act(admin, SUBMISSIONS, "void", every[1])
    Period.objects.filter(board=board).update(state=PeriodState.FINAL)
    closed = act(admin, SUBMISSIONS, "void", every[1])
    monkeypatch.setattr(scores, "MOST_AT_ONCE", 1)
    too_many = act(admin, SUBMISSIONS, "void", *every)

    assert ": 5 points. The standing stays as it is: rank 1 with 9 points." in unchanged
    assert ": 5 points. Its period is closed: this one stays." in closed
    assert "Void up to 1 submissions at once." in too_many

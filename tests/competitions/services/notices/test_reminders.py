"""Reminders of a start: told once, at the start wherever it has moved to, and not of what does not take place."""

from datetime import timedelta

import pytest

from competitions.errors import CompetitionOver, CompetitionStarted, NotOpenYet
from competitions.models import Competition, Notice, StartReminder
from competitions.notice_texts import sentences, subject
from competitions.services.lifecycle.cancel import cancel
from competitions.services.notices import reminders
from competitions.services.notices.reminders import ask_reminder, remind_due, withdraw_reminder
from leaderboards.models import Board, Player
from leaderboards.services.players.erase import erase_player
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import END, NIGHT, NOON, contest, mails, told, who, with_address

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)
START = NOON + 60 * MINUTE


def coming(**settings: object) -> Competition:
    return contest(**{"starts_at": START, **settings})


def asked(competition: Competition, *names: str) -> None:
    for name in names:
        ask_reminder(competition, who(name), NOON)


def test_each_is_told_at_the_start_and_once_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reminders, "CHUNK", 2)
    with_address("p0")
    competition = coming()
    names = [f"p{number}" for number in range(5)]
    asked(competition, *names, *names)

    assert remind_due(START - MINUTE) == 0
    assert (remind_due(START), remind_due(START + MINUTE)) == (5, 0)

    assert sorted(told()) == [(name, "started") for name in names]
    assert mails() == ["p0@example.com"]
    notice = Notice.objects.select_related("competition").earliest("pk")
    assert subject(notice) == "A cup: it has started"
    assert sentences(notice, "Asia/Seoul") == [
        "The competition has started. It ends on Sat 21 Nov, 19:00 (Asia/Seoul)."
    ]


def test_several_workers_at_once_and_one_that_dies_tell_nobody_twice_and_forget_nobody() -> None:
    competition = coming()
    asked(competition, *(f"p{number}" for number in range(8)))

    with dying_at(reminders, "remind.before_commit"):
        remind_due(START)
    assert told() == []
    assert sum(at_once([lambda: remind_due(START)] * 3)) == 8

    assert sorted(told()) == [(f"p{number}", "started") for number in range(8)]
    assert not StartReminder.objects.exists()


def test_a_start_that_moves_takes_its_reminders_along() -> None:
    competition = coming()
    asked(competition, "ann")
    Competition.objects.filter(pk=competition.pk).update(starts_at=START + 60 * MINUTE)

    assert remind_due(START) == 0
    assert remind_due(START + 60 * MINUTE) == 1
    assert told() == [("ann", "started")]


def test_a_cancelled_one_reminds_of_nothing_nor_does_one_that_is_over_by_then() -> None:
    rained_off, missed = coming(), coming()
    asked(rained_off, "ann")
    asked(missed, "ann")

    cancel(rained_off, "Rain", NOON + MINUTE, None)

    assert remind_due(START) == 1  # of the other one
    asked_late = coming()
    asked(asked_late, "bob")
    assert remind_due(END) == 0
    assert told() == [("ann", "started")]
    assert not StartReminder.objects.exists()


def test_quiet_hours_do_not_hold_what_was_asked_for_this_hour() -> None:
    competition = coming(starts_at=NIGHT, ends_at=NIGHT + 600 * MINUTE)
    asked(competition, "ann")

    assert remind_due(NIGHT) == 1
    assert told() == [("ann", "started")]


def test_the_banned_and_who_may_not_know_of_it_any_more_are_not_told() -> None:
    competition = contest("bob", starts_at=START)
    asked(competition, "ann", "bob", "eve")
    Player.objects.filter(external_id="eve").update(banned_at=NOON)
    Board.objects.filter(pk=competition.board_id).update(visibility="private")

    assert remind_due(START) == 1
    assert told() == [("bob", "started")]


def test_it_is_taken_back_refused_once_started_and_goes_with_the_player() -> None:
    competition = coming()
    asked(competition, "ann", "bob")
    withdraw_reminder(competition, who("ann"))
    withdraw_reminder(competition, who("ann"))
    erase_player("bob", NOON)
    assert not StartReminder.objects.exists()

    with pytest.raises(CompetitionStarted):
        ask_reminder(competition, who("ann"), START)
    with pytest.raises(NotOpenYet):
        ask_reminder(coming(published_at=None), who("ann"), NOON)
    cancel(competition, "Rain", NOON, None)
    with pytest.raises(CompetitionOver):
        ask_reminder(competition, who("ann"), NOON)

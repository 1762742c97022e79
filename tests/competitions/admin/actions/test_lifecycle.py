"""The buttons: publish, move the end, reveal, cancel. Each asks once more, and every refusal stands in its form."""

import re
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from competitions.admin.actions.forms import Action
from competitions.admin.actions.lifecycle import ACTIONS
from competitions.models import Change, Competition, Notice
from competitions.services.lifecycle.finish import finish
from foundation import clock
from tests.competitions.admin.typed import LIST, ZONE, act, change, moment, page, refusals
from tests.competitions.factories import DAY, END, HOUR, START
from tests.competitions.site import SOON, draft, joined, make_board, open_competition, raced, reloaded, score
from tests.locked import locked, only_postgresql
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

YES = {"confirmed": "1"}


def test_each_state_says_where_it_stands_and_offers_what_is_possible(admin: Client) -> None:
    board = make_board()
    past = {"starts_at": START - DAY, "ends_at": START}

    for competition, step, offered in (
        (draft(board), "draft", ["publish"]),
        (open_competition(board, timezone=ZONE), "running", ["move-end", "cancel"]),
        (open_competition(board, freeze_minutes=24 * 60), "frozen until the reveal", ["move-end", "cancel"]),
        (open_competition(board, **past), "being closed", ["cancel"]),
    ):
        html = page(admin, change(competition))
        assert re.findall(r'aria-current="step"> <strong>([^<]+)</strong>', html) == [step]
        assert [each.slug for each in ACTIONS if f'href="../{each.slug}/"' in html] == offered


def test_publishing_is_asked_once_more_and_refused_where_it_cannot_work_any_more(admin: Client) -> None:
    competition = draft()
    past = draft(competition.board, starts_at=START - DAY, ends_at=START)
    begun, later = draft(competition.board), draft(competition.board, starts_at=START + 12 * HOUR)

    assert "Anybody can see it" in page(admin, act(competition, "publish"))
    assert "Its start lies in the past, so it runs" in page(admin, act(begun, "publish"))
    assert "Its start lies" not in page(admin, act(later, "publish"))
    assert "lies in the past" in refusals(admin.post(act(past, "publish"), YES))
    assert not Competition.objects.exclude(published_at=None).exists()

    admin.post(act(competition, "publish"), YES)
    assert reloaded(competition).published_at is not None
    assert Change.objects.get().by is not None


def move(client: Client, competition: Competition, at: datetime | None = END + DAY, **more: str) -> Any:
    return client.post(act(competition, "move-end"), moment("ends_at", at, ZONE) | {"reason": "It rained."} | more)


def test_what_a_moved_end_changes_is_shown_first_and_done_then(admin: Client) -> None:
    competition = open_competition(timezone=ZONE, freeze_minutes=60, join_until=END)
    raced(competition, {"alice": 30, "bob": 20})

    asked, earlier = (move(admin, competition, at).content.decode() for at in (END + DAY, END - HOUR))
    assert "The end moves from" in asked
    assert "2 participants are told." in asked
    assert "Joining ends with it." in earlier
    assert reloaded(competition).ends_at == END

    done = move(admin, competition, confirmed="1")
    assert done.status_code == 302, refusals(done)
    assert reloaded(competition).ends_at == END + DAY
    assert Change.objects.get(kind="extended").reason == "It rained."
    assert Notice.objects.filter(kind="extended").count() == 2


@pytest.mark.parametrize(
    ("cancelled_at", "at", "reason", "why"),
    [
        (None, END + DAY, "  ", "required"),
        (None, END + DAY, "x" * 301, "at most 300"),
        (None, None, "It rained.", "required"),
        (None, START + HOUR, "It rained.", "lies in the past"),
        (START, END + DAY, "It rained.", "It was cancelled"),
    ],
)
def test_an_end_that_cannot_be_and_a_reason_that_nobody_can_read_are_refused(
    admin: Client, cancelled_at: datetime | None, at: datetime | None, reason: str, why: str
) -> None:
    competition = open_competition(timezone=ZONE)
    Competition.objects.update(cancelled_at=cancelled_at)

    assert why in refusals(move(admin, competition, at, reason=reason, **YES))
    assert reloaded(competition).ends_at == END


def test_participants_are_told_why_it_is_cancelled_once(admin: Client) -> None:
    competition = open_competition()
    joined(competition, "alice")
    cancel = act(competition, "cancel")

    assert "1 participant is told." in admin.post(cancel, {"reason": "Rain."}).content.decode()
    assert "required" in refusals(admin.post(cancel, {"reason": "", **YES}))
    assert reloaded(competition).cancelled_at is None

    admin.post(cancel, {"reason": "Rain.", **YES})
    assert "cancelled" in page(admin, change(competition))
    assert "cancelled before" in refusals(admin.post(cancel, {"reason": "Rain.", **YES}))
    assert Notice.objects.get().change == Change.objects.get(kind="cancelled")


def test_only_staff_see_the_standings_until_the_reveal(admin: Client, client: Client) -> None:
    competition = open_competition(freeze_minutes=23 * 60, starts_at=START - DAY, ends_at=END - DAY + HOUR)
    raced(competition, {"alice": 30, "bob": 20}, SOON - DAY)
    score(competition, {"bob": 99}, START)
    address = f"/api/v1/competitions/{competition.pk}/standings"

    early = admin.post(act(competition, "reveal"), YES)
    full = page(admin, act(competition, "standings"))
    assert "not closed yet" in refusals(early)
    assert full.index("bob") < full.index("alice")
    assert "The public does not see this" in full
    assert client.get(address).json()["rows"][0]["player"] == "alice"

    finish(reloaded(competition), clock.now())
    assert "reveal it: the result is final" in page(admin, change(competition))
    admin.post(act(competition, "reveal"), YES)
    assert client.get(address).json()["rows"][0]["player"] == "bob"


@pytest.mark.parametrize("wanted", ACTIONS, ids=lambda wanted: wanted.slug)
def test_whoever_may_look_sees_the_standings_and_may_do_none_of_the_acts(wanted: Action) -> None:
    client = staff("view_competition")
    competition = draft() if wanted.slug == "publish" else open_competition(freeze_minutes=24 * 60)
    before = Competition.objects.filter(pk=competition.pk).values().get()

    asked = client.get(act(competition, wanted.slug))
    done = client.post(act(competition, wanted.slug), {"confirmed": "1", "reason": "Because."})

    assert (asked.status_code, done.status_code) == (403, 403)
    assert Competition.objects.filter(pk=competition.pk).values().get() == before
    assert client.get(act(competition, "standings")).status_code == 200
    assert client.get(f"{LIST}999999/{wanted.slug}/").status_code == 404


@only_postgresql
@pytest.mark.django_db(transaction=True)
def test_an_act_for_which_somebody_else_keeps_the_competition_too_long_says_so_in_its_form(admin: Client) -> None:
    competition = open_competition()

    with locked(Competition.objects.filter(pk=competition.pk).order_by()):
        answer = admin.post(act(competition, "cancel"), YES | {"reason": "It rained."})

    assert "Somebody else is changing this competition; nothing was done." in refusals(answer)
    assert reloaded(competition).cancelled_at is None


def test_in_korean_states_have_one_name_and_acts_are_not_called_as_times(admin: Client) -> None:
    coming = open_competition(name="Coming", starts_at=START + DAY, ends_at=END + DAY)
    over = open_competition(coming.board, name="Over", starts_at=START - DAY, ends_at=START)
    korean = {"Accept-Language": "ko"}

    listed = admin.get(LIST, headers=korean).content.decode()
    states = re.findall(r'class="field-phase">([^<]+)<', listed)
    courses = [admin.get(change(each), headers=korean).content.decode() for each in (coming, over)]
    steps = [re.findall(r'aria-current="step">\s*<strong>([^<]+)</strong>', html)[0] for html in courses]

    assert sorted(states) == sorted(steps) == ["예정", "집계 중"]
    done = courses[0].partition('class="course-changes"')[2]
    assert (">게시</th>" in done, "게시 시각" in done) == (True, False)

"""The jury in the admin: confirming a result, and what every page of its acts says before."""

import re

import pytest
from django.test import Client

from competitions.models import Change, Competition, Revision
from competitions.services.lifecycle.freeze import reveal
from competitions.services.results.judge import void
from foundation import clock
from leaderboards.models import Submission
from tests.competitions.admin.judging import SUBMISSIONS, judge, provisional
from tests.competitions.admin.typed import LIST, act, change, page, recorded, refusals, sealed
from tests.competitions.site import (
    make_board,
    open_competition,
    reloaded,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def test_a_judge_confirms_with_one_press_and_is_told_before_what_comes_of_it(db: None) -> None:
    competition, client = provisional(), judge()

    asked = page(client, act(competition, "confirm"))
    too_long = sealed(client, act(competition, "confirm"), {"confirmed": "1", "reason": "x" * 301})
    unconfirmed = reloaded(competition).final_at
    done = sealed(client, act(competition, "confirm"), {"confirmed": "1", "reason": ""})

    for words in (
        "2 players are ranked.",
        "alice leads.",
        "1 reward is granted.",
        "Participants are told",
    ):
        assert words in asked
    assert "the public hears" not in asked
    assert ("at most 300" in refusals(too_long), unconfirmed) == (True, None)
    assert done.status_code == 302
    assert reloaded(competition).final_at is not None
    assert Change.objects.get(kind="confirmed").by is not None
    assert Revision.objects.count() == 1
    assert recorded(client, competition)[1:3] == ["result confirmed", "judge"]


def test_what_to_confirm_is_listed_drawn_and_said_as_the_next_step(admin: Client) -> None:
    competition = provisional(freeze_minutes=23 * 60)

    hidden = page(admin, change(competition))
    reveal(competition, clock.now(), None)
    html = page(admin, change(competition))
    listed = page(admin, f"{LIST}?state=to_confirm")
    sealed(admin, act(competition, "confirm"), {"confirmed": "1", "reason": ""})

    assert "confirm it or reveal it: final by itself" in hidden
    assert hidden.count('aria-current="step"') == 2  # what the public sees, and what is so behind the curtain
    assert "<strong>provisional until" in html
    assert "confirm it: final by itself" in html
    assert html.count('aria-current="step"') == 1
    assert ("A cup" in listed, "A cup" in page(admin, f"{LIST}?state=to_confirm")) == (True, False)
    assert "the public hears of all this once" in page(admin, act(provisional_again(competition), "confirm"))


def provisional_again(competition: Competition) -> Competition:
    Competition.objects.filter(pk=competition.pk).update(final_at=None, revealed_at=None)
    return reloaded(competition)


def test_the_review_may_change_until_the_result_is_final_and_the_form_says_what_empty_is(admin: Client) -> None:
    plain, frozen = open_competition(), open_competition(make_board("sql"), freeze_minutes=60)
    over = provisional("redis")

    assert "Empty: none, or 24 hours once" in page(admin, change(plain))
    assert "Empty: 24 hours, since" in page(admin, change(frozen))
    assert 'name="review_hours"' in page(admin, change(over))
    Competition.objects.filter(pk=over.pk).update(final_at=clock.now())
    assert 'name="review_hours"' not in page(admin, change(over))


def test_the_reveal_is_offered_from_when_it_is_possible(admin: Client) -> None:
    closed = provisional(freeze_minutes=60)

    assert 'href="../reveal/"' in page(admin, change(closed))


ACTS_ON_PEOPLE = ("move", "remove", "disqualify", "reinstate", "bring_back")
PUBLIC = "Everybody can read it once the result is final: write it for the public."


def test_who_gives_a_reason_is_told_before_who_reads_it(admin: Client) -> None:
    competition = provisional()
    runs = open_competition(competition.board)
    chosen = {"_selected_action": [competition.participants.all()[0].pk]}
    participants = "/admin/competitions/participant/"
    [row, other] = Submission.objects.all()
    void(competition, other, "Came by car.", clock.now(), None)
    scores = {"void": row, "restore": other}

    asked = {name: admin.post(participants, chosen | {"action": name}).content.decode() for name in ACTS_ON_PEOPLE}
    asked |= {slug: page(admin, act(competition, slug)) for slug in ("confirm", "accept-late", "cancel")}
    asked |= {
        name: admin.post(SUBMISSIONS, {"action": name, "_selected_action": [each.pk]}).content.decode()
        for name, each in scores.items()
    }
    asked |= {"move-end": page(admin, act(runs, "move-end"))}

    public = {"disqualify", "reinstate", "bring_back", "confirm", "accept-late", "void", "restore"}
    assert {name for name, html in asked.items() if PUBLIC in html} == public
    assert {name for name, html in asked.items() if "in the words of your reason" in html} == {
        *("remove", "disqualify", "reinstate", "bring_back", "void", "restore", "accept-late"),
    }
    assert "Only those who run the competition read it." in asked["move"]
    assert "page shows it to everybody" in asked["cancel"]
    assert 'aria-describedby="reason-readers"' in asked["disqualify"]


YES_AND_NO = (
    r'<div class="submit-row">(<button type="submit"[^>]*>)([^<]*)</button>\s*'
    r'<a href="[^"]*" class="closelink">No, take me back</a>'
)


def test_every_act_that_is_asked_for_has_a_yes_that_names_it_and_the_same_no_beside_it(admin: Client) -> None:
    competition = provisional()
    [row, other] = Submission.objects.all()
    void(competition, other, "Came by car.", clock.now(), None)
    people = "/admin/competitions/participant/"
    titles = {
        "disqualify": (people, competition.participants.all()[0].pk, "Disqualify participants"),
        "reinstate": (people, competition.participants.all()[0].pk, "Reinstate participants"),
        "bring_back": (people, competition.participants.all()[0].pk, "Bring participants back"),
        "void": (SUBMISSIONS, row.pk, "Void submissions"),
        "restore": (SUBMISSIONS, other.pk, "Restore submissions"),
        "ban": ("/admin/leaderboards/player/", row.player_id, "Ban"),
    }

    asked = {
        title: admin.post(address, {"action": name, "_selected_action": [number]}).content.decode()
        for name, (address, number, title) in titles.items()
    }
    asked |= {"Confirm the result": page(admin, act(competition, "confirm"))}

    takes_something = {"Disqualify participants", "Void submissions", "Ban"}
    for title, html in asked.items():
        [(button, said)] = re.findall(YES_AND_NO, html)
        assert said == f"Yes: {title}"
        assert f'class="confirm-yes{" is-grave" if title in takes_something else ""}"' in button, title
        assert "css/admin-confirm.css" in html
    assert "has their scores" in asked["Disqualify participants"]

"""The jury in the admin: confirming a result, voiding and restoring a score where scores are listed."""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import Client

from competitions.models import Change, Competition, Revision
from competitions.services.disqualify import disqualify
from competitions.services.finish import finish
from competitions.services.freeze import reveal
from competitions.services.join import leave
from competitions.services.judge import void
from foundation import clock
from leaderboards.models import Player, Submission
from tests.competitions.admin.typed import LIST, ZONE, act, change, page, recorded, refusals
from tests.competitions.factories import DAY, HOUR, MINUTE, START, RewardTierFactory
from tests.competitions.site import (
    SOON,
    follow,
    joined,
    make_board,
    open_competition,
    period_of,
    player,
    raced,
    ranks,
    reloaded,
    score,
)
from tests.leaderboards.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

SUBMISSIONS = "/admin/leaderboards/submission/"
PLAYED = SOON - DAY


def provisional(storage: str = "hybrid", board: dict[str, Any] | None = None, **settings: Any) -> Competition:
    """It ended an hour after START; alice leads bob, and gold waits."""
    competition = open_competition(
        make_board(storage, **(board or {})),
        timezone=ZONE,
        starts_at=START - DAY,
        ends_at=START + HOUR,
        review_hours=48,
        **settings,
    )
    joined(competition, "alice", "bob")
    competition.participants.update(joined_at=START - DAY)
    score(competition, {"alice": 30, "bob": 20}, PLAYED)
    follow(competition)
    RewardTierFactory.create(competition=competition)
    finish(competition, clock.now())
    return reloaded(competition)


def judge() -> Client:
    """Somebody of the group of that name."""
    user = UserFactory.create(username="judge", is_staff=True)
    user.groups.add(Group.objects.get(name="judge"))
    client = Client()
    client.force_login(user)
    return client


def test_a_judge_confirms_with_one_press_and_is_told_before_what_comes_of_it(db: None) -> None:
    competition, client = provisional(), judge()

    asked = page(client, act(competition, "confirm"))
    too_long = client.post(act(competition, "confirm"), {"confirmed": "1", "reason": "x" * 301})
    unconfirmed = reloaded(competition).final_at
    done = client.post(act(competition, "confirm"), {"confirmed": "1", "reason": ""})

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
    admin.post(act(competition, "confirm"), {"confirmed": "1", "reason": ""})

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


def test_from_the_standings_a_judge_comes_to_the_scores_of_a_player_and_voids_one_with_a_reason(db: None) -> None:
    competition, client = provisional(), judge()
    period = period_of(competition)
    scores = f"{SUBMISSIONS}?period__id__exact={period.pk}"

    full, form = page(client, act(competition, "standings")), page(client, change(competition))
    of_bob = page(client, f"{scores}&q=bob")
    row = Submission.objects.get(player__external_id="alice")
    chosen = {"action": "void", "_selected_action": [row.pk]}
    asked = client.post(scores, chosen).content.decode()
    client.post(scores, chosen | {"confirmed": "1", "reason": "Came by car."})

    assert f'href="{scores}&q=alice"' in full
    assert f'href="{scores}"' in form
    assert ("alice" in of_bob, "bob" in of_bob) == (False, True)
    assert "Now: rank 1 with 30. Then: not ranked." in asked
    assert ranks(competition, clock.now()) == [("bob", 1, 20)]
    done = Change.objects.get(kind="voided")
    assert (done.reason, done.by and done.by.get_username()) == ("Came by car.", "judge")
    assert LogEntry.objects.filter(change_message="Voided: Came by car.").count() == 1


def test_a_judge_voids_a_score_of_somebody_who_has_gone_once(db: None) -> None:
    competition, client = open_competition(), judge()
    raced(competition, {"alice": 30, "bob": 20})
    leave(competition, player("alice"), clock.now())
    row = Submission.objects.get(player__external_id="alice")
    chosen = {"action": "void", "_selected_action": [row.pk], "confirmed": "1", "reason": "Came by car."}

    pages = [client.post(SUBMISSIONS, chosen, follow=True).content.decode() for _ in range(2)]

    assert ["Voided: 1." in each for each in pages] == [True, False]
    assert ["Done before, so nothing was changed: 1." in each for each in pages] == [False, True]
    assert Change.objects.get(kind="voided").details["submission"] == row.pk
    assert LogEntry.objects.filter(change_message="Voided: Came by car.").count() == 1


def test_a_judge_restores_a_voided_score_and_sees_what_comes_of_it_first(db: None) -> None:
    competition, client = provisional(), judge()
    row = Submission.objects.get(player__external_id="alice")
    void(competition, row, "Came by car.", clock.now(), None)
    chosen = {"action": "restore", "_selected_action": [row.pk]}

    asked = client.post(SUBMISSIONS, chosen).content.decode()
    before = ranks(competition, clock.now())
    client.post(SUBMISSIONS, chosen | {"confirmed": "1", "reason": "The car was lent."})

    assert "Now: not ranked. Then: rank 1 with 30." in asked
    assert before == [("bob", 1, 20)]
    assert ranks(competition, clock.now()) == [("alice", 1, 30), ("bob", 2, 20)]
    done = Change.objects.get(kind="restored")
    assert (done.reason, done.by and done.by.get_username()) == ("The car was lent.", "judge")
    assert recorded(client, competition)[1::3] == ["score restored", "The car was lent."]


def test_who_may_not_change_scores_is_offered_neither_and_posts_in_vain(db: None) -> None:
    competition = provisional()
    row = Submission.objects.get(player__external_id="alice")
    void(competition, row, "Came by car.", clock.now(), None)
    user = UserFactory.create(username="viewer", is_staff=True)
    user.groups.add(Group.objects.get(name="viewer"))
    client = Client()
    client.force_login(user)

    listed = page(client, SUBMISSIONS)
    client.post(SUBMISSIONS, {"action": "restore", "_selected_action": [row.pk], "confirmed": "1", "reason": "Mine."})

    assert 'value="restore"' not in listed
    assert ranks(competition, clock.now()) == [("bob", 1, 20)]


def test_a_board_that_keeps_no_scores_and_who_may_not_see_them_are_offered_none(admin: Client, db: None) -> None:
    in_redis = provisional("redis")
    looker = UserFactory.create(username="looker", is_staff=True)
    client = Client()
    client.force_login(looker)

    assert SUBMISSIONS + "?" not in page(admin, act(in_redis, "standings"))
    assert client.get(act(in_redis, "standings")).status_code == 403


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
        *("remove", "disqualify", "reinstate", "bring_back"),
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

    for title, html in asked.items():
        [(button, said)] = re.findall(YES_AND_NO, html)
        assert (said, 'class="confirm-yes"' in button) == (f"Yes: {title}", True)
        assert "css/admin-confirm.css" in html
    assert "has their scores" in asked["Disqualify participants"]


def test_scores_name_their_competition_in_the_list_and_before_one_is_voided(admin: Client) -> None:
    competition = provisional()
    row = Submission.objects.get(player__external_id="alice")

    listed = page(admin, SUBMISSIONS)
    asked = admin.post(SUBMISSIONS, {"action": "void", "_selected_action": [row.pk]}).content.decode()

    cells = re.findall(r'<td class="field-period_label">([^<]*)</td>', listed)
    assert set(cells) == {competition.name}
    assert f"<li>alice, {competition.board.name} {competition.name}: 30." in asked


@pytest.mark.parametrize(("places", "then"), [("close_up", 3), ("stay_empty", 5)])
def test_ranks_that_voiding_comes_to_are_those_that_everybody_sees(admin: Client, places: str, then: int) -> None:
    competition = open_competition(vacated_places=places)
    raced(competition, {"cheat": 99, "banned": 98, "alice": 30, "bob": 20, "cleo": 10})
    score(competition, {"alice": 40}, SOON + MINUTE)
    Player.objects.filter(external_id="banned").update(banned_at=SOON)
    disqualify(competition, Player.objects.get(external_id="cheat"), "A car.", clock.now(), None)
    rows = Submission.objects.filter(player__external_id__in=("bob", "cheat"))

    asked = admin.post(SUBMISSIONS, {"action": "void", "_selected_action": [row.pk for row in rows]}).content.decode()
    seen = {name: rank for name, rank, _points in ranks(competition, clock.now())}

    assert f"Now: rank {seen['bob']} with 20. Then: not ranked." in asked
    assert "Now: 99. Then: not ranked." in asked
    latest = Submission.objects.filter(player__external_id="alice", points=40)
    asked = admin.post(SUBMISSIONS, {"action": "void", "_selected_action": [latest[0].pk]}).content.decode()
    assert f"Now: rank {then - 2} with 40. Then: rank {then - 2} with 30." in asked

"""What the pages of a jury and of staff show before an act, in whose eyes, and that nothing else is done."""

import pytest
from django.test import Client

from competitions.models import Change, Competition, Participant
from competitions.selectors.previews import before_after as sides
from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.freeze import freeze_if_due
from competitions.services.participants.disqualify import disqualify
from competitions.services.rewards.reward import grant_due_rewards
from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.models import Standing, Submission
from tests.competitions.admin.test_others import PARTICIPANTS, acted, said
from tests.competitions.admin.typed import page
from tests.competitions.factories import DAY, HOUR, MINUTE, START, RewardTierFactory
from tests.competitions.grouping import in_division, team_called, team_race
from tests.competitions.site import SOON, open_competition, player, raced, ranks, reloaded
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

SUBMISSIONS = "/admin/leaderboards/submission/"
WHY = {"confirmed": "1", "reason": "Two accounts."}


def final() -> Competition:
    """Alice won gold before bob and cleo."""
    competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
    RewardTierFactory.create(competition=competition)
    raced(competition, {"alice": 30, "bob": 20, "cleo": 10}, SOON - DAY)
    finish(competition, clock.now())
    grant_due_rewards(clock.now())
    return reloaded(competition)


def row(name: str) -> int:
    return int(Participant.objects.get(player__external_id=name).pk)


OF_FINAL = (
    "1 first place moves, 3 ranks change.",
    "First then: bob.",
    "alice loses “Gold”.",
    "bob gets “Gold” for place 1.",
    "The result is final: this makes its revision 2.",
    "2 participants are told of another place.",
)
IN_KOREAN = ("그러면 1위: bob.", "alice 님이 “Gold” 보상을 잃습니다.", "개정판 2번")


def test_a_disqualification_shows_places_rewards_the_revision_and_who_is_told(admin: Client) -> None:
    final()

    shown = said(admin, PARTICIPANTS, "disqualify", row("alice"))
    asked = {"action": "disqualify", "_selected_action": [row("alice")]}
    korean = admin.post(PARTICIPANTS, asked, headers={"accept-language": "ko"}).content.decode()

    assert [each in shown for each in OF_FINAL] == [True] * len(OF_FINAL), shown
    assert [each in korean for each in IN_KOREAN] == [True] * len(IN_KOREAN)
    assert ranks(final_now(), clock.now())[0][0] == "alice"


def final_now() -> Competition:
    return reloaded(Competition.objects.get())


def test_nothing_is_done_that_was_not_shown_as_it_is_now(admin: Client) -> None:
    competition = final()
    chosen = {"action": "disqualify", "_selected_action": [row("alice")]}
    seal = admin.post(PARTICIPANTS, chosen).context["shown_seal"]
    disqualify(competition, player("bob"), "A car.", clock.now(), None)

    unseen = admin.post(PARTICIPANTS, chosen | WHY).content.decode()
    other = admin.post(PARTICIPANTS, chosen | WHY | {"shown": seal})
    kept = Participant.objects.get(pk=row("alice")).takes_part
    admin.post(PARTICIPANTS, chosen | WHY | {"shown": other.context["shown_seal"]})

    assert "it changed meanwhile" in unseen
    assert ("it changed meanwhile" in other.content.decode(), kept) == (True, True)
    assert "First then: cleo." in other.content.decode()
    assert not Participant.objects.get(pk=row("alice")).takes_part


def test_while_scores_come_in_a_look_of_before_is_as_good(admin: Client) -> None:
    competition = open_competition()
    raced(competition, {"alice": 30, "bob": 20})
    chosen = {"action": "disqualify", "_selected_action": [row("alice")]}
    seal = admin.post(PARTICIPANTS, chosen).context["shown_seal"]
    raced(competition, {"cleo": 25})

    admin.post(PARTICIPANTS, chosen | WHY | {"shown": seal})

    assert ranks(competition) == [("cleo", 1, 25), ("bob", 2, 20)]


def test_a_move_is_shown_once_it_is_chosen_and_another_one_is_not_done(admin: Client) -> None:
    competition = team_race({"Owls": {"ann": 5, "cat": 1}, "Foxes": {"bob": 3}})
    in_division(competition, "Juniors", "ann")
    foxes = str(team_called(competition, "Foxes").pk)
    sent = {"action": "move", "_selected_action": [row("ann")], "confirmed": "1", "reason": "Wrong list."}

    first = admin.post(PARTICIPANTS, {"action": "move", "_selected_action": [row("ann")]}).content.decode()
    looked = admin.post(PARTICIPANTS, sent | {"look": "1", "team": foxes})
    other = admin.post(PARTICIPANTS, sent | {"team": "none", "shown": looked.context["shown_seal"]})

    assert ("Show what changes" in first, "Yes: Move" in first) == (True, False)
    told = looked.content.decode()
    assert "Teams: 1 first place moves, 2 ranks change." in told
    assert ("No rank changes." in told, "The first team then: Foxes." in told) == (True, True)
    assert "it changed meanwhile" in other.content.decode()
    assert not Change.objects.filter(kind="moved").exists()


@pytest.mark.parametrize("sees", [True, False])
def test_during_a_freeze_ranks_are_told_to_who_may_look_at_competitions(sees: bool) -> None:
    competition = open_competition(freeze_minutes=23 * 60)
    raced(competition, {"alice": 30, "bob": 20}, START + MINUTE)
    freeze_if_due(competition, clock.now())
    rights = ["change_participant", "view_participant", "change_submission", "view_submission"]
    client = staff(*rights, *(["view_competition"] if sees else []))
    score = Submission.objects.get(player__external_id="alice")

    pages = [
        said(client, PARTICIPANTS, "disqualify", row("alice")),
        acted(client, SUBMISSIONS, "void", score.pk).content.decode(),
    ]

    for shown in pages:
        assert ("First then: bob." in shown) == sees
        assert ("what this does to ranks is shown only to people who may see" in shown) != sees


def test_of_a_long_competition_it_is_said_that_it_cannot_be_worked_out(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    final()
    monkeypatch.setattr(sides, "MOST_READ", 2)

    shown = said(admin, PARTICIPANTS, "disqualify", row("alice"))

    assert "What it does to ranks cannot be worked out here" in shown
    assert "Done: 1." in said(admin, PARTICIPANTS, "disqualify", row("alice"), **WHY)


def test_undoing_from_the_log_shows_the_same_look(admin: Client) -> None:
    final()
    said(admin, PARTICIPANTS, "disqualify", row("alice"), **WHY)
    entry = AuditEntry.objects.get(act="competition.disqualified")

    shown = page(admin, f"/admin/foundation/auditentry/{entry.pk}/undo/")

    assert "1 first place moves, 3 ranks change." in shown
    assert "First then: alice." in shown
    assert "The result is final: this makes its revision 3." in shown


def test_nothing_is_undone_from_the_log_that_was_not_shown_as_it_is_now(admin: Client) -> None:
    competition = final()
    disqualify(competition, player("bob"), "A car.", clock.now(), None)
    entry = AuditEntry.objects.get(act="competition.disqualified")
    address, why = f"/admin/foundation/auditentry/{entry.pk}/undo/", {"reason": "On foot."}
    seal = admin.get(address).context["look"].seal
    disqualify(competition, player("alice"), "A bot.", clock.now(), None)

    other = admin.post(address, why | {"_seen": seal})
    kept = Participant.objects.get(pk=row("bob")).disqualified_at is not None
    admin.post(address, why | {"_seen": other.context["look"].seal})

    assert ("Look once more." in other.content.decode(), kept) == (True, True)
    assert "First then: bob." in other.content.decode()
    assert Participant.objects.get(pk=row("bob")).takes_part


@pytest.mark.parametrize("group", ["judge", "moderator"])
def test_who_hides_a_standing_of_a_competition_is_led_to_its_participants_or_told_whom_to_ask(group: str) -> None:
    competition = final()
    client = staff("change_player", "view_standing", groups=[group])
    standing = Standing.objects.get(player__external_id="alice")
    there = f"/admin/leaderboards/player/{standing.player_id}/restrict/?period={standing.period_id}"

    told = client.get(there, follow=True).content.decode()

    way = f'href="{PARTICIPANTS}?competition__id__exact={competition.pk}&amp;q=alice"'
    assert "disqualify the participant there" in told
    assert (way in told, "ask a member of the group “judge”" in told) == (group == "judge", group == "moderator")

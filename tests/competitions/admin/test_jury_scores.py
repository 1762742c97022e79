"""The jury where scores are listed: voiding and restoring one, and what its page says before."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from competitions.models import Change
from competitions.services.participants.disqualify import disqualify
from competitions.services.participants.join import leave
from competitions.services.results.judge import void
from foundation import clock
from leaderboards.models import Player, Submission
from tests.competitions.admin.judging import SUBMISSIONS, judge, provisional
from tests.competitions.admin.typed import act, change, page, recorded, sealed
from tests.competitions.factories import MINUTE
from tests.competitions.site import (
    SOON,
    open_competition,
    period_of,
    player,
    raced,
    ranks,
    score,
)
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def test_from_the_standings_a_judge_comes_to_the_scores_of_a_player_and_voids_one_with_a_reason(db: None) -> None:
    competition, client = provisional(), judge()
    period = period_of(competition)
    scores = f"{SUBMISSIONS}?period__id__exact={period.pk}"

    full, form = page(client, act(competition, "standings")), page(client, change(competition))
    of_bob = page(client, f"{scores}&q=bob")
    row = Submission.objects.get(player__external_id="alice")
    chosen = {"action": "void", "_selected_action": [row.pk]}
    asked = client.post(scores, chosen).content.decode()
    sealed(client, scores, chosen | {"confirmed": "1", "reason": "Came by car."})

    assert f'href="{scores}&q=alice"' in full
    assert f'href="{scores}"' in form
    assert ("alice" in of_bob, "bob" in of_bob) == (False, True)
    assert "Now: rank 1 with 30 points. Then: not ranked." in asked
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
    sealed(client, SUBMISSIONS, chosen | {"confirmed": "1", "reason": "The car was lent."})

    assert "Now: not ranked. Then: rank 1 with 30 points." in asked
    assert before == [("bob", 1, 20)]
    assert ranks(competition, clock.now()) == [("alice", 1, 30), ("bob", 2, 20)]
    done = Change.objects.get(kind="restored")
    assert (done.reason, done.by and done.by.get_username()) == ("The car was lent.", "judge")
    assert recorded(client, competition)[1::3] == ["score restored", "The car was lent."]


def test_who_may_not_change_scores_is_offered_neither_and_posts_in_vain(db: None) -> None:
    competition = provisional()
    row = Submission.objects.get(player__external_id="alice")
    void(competition, row, "Came by car.", clock.now(), None)
    client = staff(groups=["viewer"])

    listed = page(client, SUBMISSIONS)
    client.post(SUBMISSIONS, {"action": "restore", "_selected_action": [row.pk], "confirmed": "1", "reason": "Mine."})

    assert 'value="restore"' not in listed
    assert ranks(competition, clock.now()) == [("bob", 1, 20)]


def test_a_board_that_keeps_no_scores_and_who_may_not_see_them_are_offered_none(admin: Client, db: None) -> None:
    in_redis = provisional("redis")

    assert SUBMISSIONS + "?" not in page(admin, act(in_redis, "standings"))
    assert staff().get(act(in_redis, "standings")).status_code == 403


def test_scores_name_their_competition_in_the_list_and_before_one_is_voided(admin: Client) -> None:
    competition = provisional()
    row = Submission.objects.get(player__external_id="alice")

    listed = page(admin, SUBMISSIONS)
    asked = admin.post(SUBMISSIONS, {"action": "void", "_selected_action": [row.pk]}).content.decode()

    cells = re.findall(r'class="field-period_label">([^<]*)</td>', listed)
    assert set(cells) == {competition.name}
    assert f"<li>alice, {competition.board.name}, {competition.name}: 30 points." in asked


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

    assert f"Now: rank {seen['bob']} with 20 points. Then: not ranked." in asked
    assert "Now: 99 points. Then: not ranked." in asked
    latest = Submission.objects.filter(player__external_id="alice", points=40)
    asked = admin.post(SUBMISSIONS, {"action": "void", "_selected_action": [latest[0].pk]}).content.decode()
    assert f"Now: rank {then - 2} with 40 points. Then: rank {then - 2} with 30 points." in asked

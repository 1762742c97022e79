"""A person's own data: the file waits for a reveal and tells of no shadow; and who may not erase their player."""

from typing import Any

import pytest
from django.test import Client

from competitions.models import Competition
from competitions.services.participants.disqualify import disqualify
from competitions.services.results.revisions import publish_due_revisions
from foundation import clock
from leaderboards.models import Player
from leaderboards.selectors.player_data.personal_data import all_stored_data, data_shown_to_player
from tests.competitions.factories import DAY, END, HOUR, MINUTE
from tests.competitions.services.winning import finished, published, settle, tier
from tests.competitions.site import make_board, open_competition, player, race, raced
from tests.leaderboards.services.restricting import keep_out, let_back_from
from tests.leaderboards.views.pages import signed_in
from tests.playing import account

pytestmark = pytest.mark.django_db(transaction=True)

LATER = END + DAY


def test_it_is_given_before_a_freeze_and_refused_during_it() -> None:
    raced(open_competition(make_board(), freeze_minutes=60), {"ann": 9})
    ann, told = account("ann", "ann"), []

    for when in (END - 2 * HOUR, END - HOUR + MINUTE):
        with clock.freeze_at(when):
            client = Client()
            client.force_login(ann)
            response = client.get("/account/export/")
        told.append((response.status_code, '"standings"' in response.content.decode()))

    assert told == [(200, True), (409, False)]


def revoked(rows: list[dict[str, Any]]) -> list[bool]:
    return [bool(row["revoked_at"] or row["revoked_reason"] or row["revoked_told_at"]) for row in rows]


@pytest.mark.parametrize("how", ["shadowed", "shadowed everywhere"])
def test_a_reward_that_a_shadow_cost_is_told_to_operators_and_to_its_player_once_they_are_shown(how: str) -> None:
    competition = finished({"zoe": 9, "mina": 7})
    tier(competition)
    published(competition)
    settle(END + HOUR)
    before = data_shown_to_player("zoe")["rewards"]
    keep_out(how, competition.board, "zoe", at=LATER)
    assert publish_due_revisions(LATER + MINUTE) == 1
    settle(LATER + MINUTE)

    told, kept = data_shown_to_player("zoe")["rewards"], all_stored_data("zoe")["rewards"]
    let_back_from(how, competition.board, "zoe", at=LATER + HOUR)

    assert told == before
    assert (revoked(told), revoked(kept)) == ([False], [True])
    assert revoked(data_shown_to_player("zoe")["rewards"]) == [True]


@pytest.mark.parametrize("over", [None, "final_at", "cancelled_at"])
def test_the_disqualified_erase_their_player_once_they_could_not_join_anew(over: str | None) -> None:
    competition = race({"zoe": 9})
    zoe = signed_in(Client(), "someone", "zoe")
    disqualify(competition, player("zoe"), "Two accounts.", clock.now(), None)
    if over:
        Competition.objects.filter(pk=competition.pk).update(**{over: clock.now()})

    answer = zoe.post("/account/delete/", {"player": "erase"}).content.decode()

    assert ("disqualified in a competition that is not final" in answer) == (over is None)
    assert Player.objects.filter(external_id="zoe", user__username="someone").exists() == (over is None)

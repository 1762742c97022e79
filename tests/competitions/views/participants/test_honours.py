"""Trophies and rewards of competitions on a player's page: only what is final, public and still theirs."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from django.test import Client

from competitions.models import Competition, RewardGrant
from foundation import clock
from leaderboards.models import Board, Player
from leaderboards.services.moderation.ban import ban
from leaderboards.views.http import micro_cache
from tests.competitions.factories import DAY, END
from tests.competitions.services.winning import finished, out, rewarded
from tests.leaderboards.views.pages import text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture(autouse=True)
def _after_the_end() -> Iterator[None]:
    with patch.object(clock, "now", lambda: END + DAY):
        yield


FIVE = {"a": 9, "b": 7, "c": 5, "d": 3, "e": 1}


def shown(client: Client, player: str) -> str:
    micro_cache.forget()
    return text(client.get(f"/players/{player}/"))


def test_the_first_three_of_a_final_competition_have_a_trophy_that_leads_there(client: Client) -> None:
    competition = finished(FIVE, name="A cup")

    pages = {player: shown(client, player) for player in "abcd"}

    assert ["Trophies A cup" in page for page in pages.values()] == [True, True, True, False]
    assert "1 × 3rd" in pages["c"]
    assert f'href="/competitions/{competition.pk}/"' in client.get("/players/a/").content.decode()


def test_before_a_result_is_final_and_while_it_is_hidden_there_is_no_trophy(client: Client) -> None:
    competition = finished(FIVE)
    rows = Competition.objects.filter(pk=competition.pk)

    rows.update(final_at=None)
    provisional = shown(client, "a")
    rows.update(final_at=clock.now(), freeze_minutes=60, frozen_at=competition.ends_at, revealed_at=None)
    hidden = shown(client, "a")
    rows.update(freeze_minutes=None, frozen_at=None)
    Board.objects.update(visibility="private")
    private = shown(client, "a")

    assert ["Trophies A cup" in page for page in (provisional, hidden, private)] == [False] * 3


def test_behind_somebody_disqualified_or_banned_the_next_one_gets_the_trophy(client: Client) -> None:
    competition = finished(FIVE)
    out(competition, "a")
    ban([Player.objects.get(external_id="b").pk], "A bot.", clock.now(), None)

    pages = {player: shown(client, player) for player in "acde"}

    assert ["Trophies A cup" in page for page in pages.values()] == [False, True, True, True]
    assert "1 × 1st" in pages["c"]


def test_rewards_are_listed_until_they_are_revoked_and_not_while_the_result_is_hidden(client: Client) -> None:
    competition = rewarded(name="A cup")
    assert "Rewards Gold 1 A cup ·" in shown(client, "a") or "Rewards Half 1 A cup ·" in shown(client, "a")
    assert "Rewards" not in shown(client, "d")

    Competition.objects.update(freeze_minutes=60, frozen_at=competition.ends_at, revealed_at=None)
    assert "Rewards" not in shown(client, "a")

    Competition.objects.update(freeze_minutes=None, frozen_at=None)
    RewardGrant.objects.update(revoked_at=clock.now())
    assert "Rewards" not in shown(client, "a")

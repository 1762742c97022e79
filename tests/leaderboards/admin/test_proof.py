"""Grave pages about players ask for a proof of who does it: erasing, and what concerns more than twenty at once."""

from datetime import timedelta

import pytest
from django.test import Client

from foundation import clock
from leaderboards.admin.moderation.restriction_forms import ALL_BOARDS
from leaderboards.models import Player, Restriction
from tests.leaderboards.admin.moderation.test_ban_pages import PLAYERS, of
from tests.leaderboards.factories import PlayerFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

BAN = {"action": "ban", "confirmed": "1", "reason": "A ring."}
HIDE = {
    "action": "restrict",
    "confirmed": "1",
    "kind": "hidden",
    "board": ALL_BOARDS,
    "seen": "hidden:",
    "reason": "A ring.",
}
CALLS = pytest.mark.parametrize("call", [BAN, HIDE], ids=["ban", "restrict"])
LATE = timedelta(minutes=16)  # what was opened in time may be sent for fifteen


def kept_out(admin: Client, call: dict[str, str], number: int) -> tuple[str, int]:
    """Where the browser is sent that does it to so many, sixteen minutes after the sign-in; and how many it hit."""
    numbers = [PlayerFactory.create().pk for _ in range(number)]
    with clock.freeze_at(clock.now() + LATE):
        answer = admin.post(PLAYERS, {**call, "_selected_action": numbers})
    hit = Player.objects.filter(banned_at__isnull=False).count() + Restriction.objects.count()
    return answer.get("Location", ""), hit


def test_erasing_asks_again_before_it_shows_anything_and_before_it_is_done(admin: Client) -> None:
    ann = PlayerFactory.create(external_id="ann")
    at = clock.now()

    with clock.freeze_at(at + timedelta(minutes=6)):
        opened = admin.get(of(ann, "erase"))
    with clock.freeze_at(at + LATE):
        sent = admin.post(of(ann, "erase"), {"typed": "ann", "confirmed": "1", "reason": "Asked for it."})

    for answer in (opened, sent):
        assert answer["Location"].startswith("/accounts/confirm/")
    assert Player.objects.filter(external_id="ann").exists()


@CALLS
def test_what_concerns_more_than_twenty_players_asks_again_and_nothing_is_done(
    admin: Client, call: dict[str, str]
) -> None:
    onward, hit = kept_out(admin, call, 21)

    assert onward.startswith("/accounts/confirm/")
    assert hit == 0


@CALLS
def test_what_concerns_twenty_does_not(admin: Client, call: dict[str, str]) -> None:
    _, hit = kept_out(admin, call, 20)

    assert hit == 20

"""Moderators decide about a player while the account that has them erases both: then nothing is erased."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest
from django.contrib.auth.models import User

from accounts.errors import ExcludedPlayer
from accounts.services.mails.owner_notices import notify_owner
from foundation import clock
from leaderboards.models import Player, Standing
from leaderboards.services.moderation.ban import ban
from leaderboards.services.moderation.restrict import hidden_in_period, restrict
from leaderboards.services.players import delete_account as leaving
from leaderboards.services.players.delete_account import ERASE, KEEP, delete_account
from leaderboards.services.players.link import link_by_hand
from tests.at_once import at_once
from tests.leaderboards.factories import PlayerFactory, UserFactory
from tests.leaderboards.services.site import make_board, period_of, score
from tests.locked import only_postgresql

WHY = "Stolen."
Decide = Callable[[Player], object]


def take_away(player: Player) -> bool:
    return link_by_hand(player, None, WHY, clock.now(), None)


def give_to_the_owner(player: Player) -> bool:
    return link_by_hand(player, UserFactory.create(username="owner"), WHY, clock.now(), None)


def hide(player: Player) -> object:
    period = Standing.objects.select_related("period__board").get(player=player).period
    return restrict([player.pk], hidden_in_period(period), WHY, clock.now(), None)


def put_out(player: Player) -> object:
    return ban([player.pk], WHY, clock.now(), None)


@pytest.mark.parametrize("decide", [take_away, give_to_the_owner, hide, put_out])
def test_what_moderators_decide_after_the_first_look_keeps_all_as_it_was(
    monkeypatch: pytest.MonkeyPatch, decide: Decide
) -> None:
    board = make_board("sql")
    thief = UserFactory.create(username="thief", player="ann")
    score(board, {"ann": 9})
    deciding = [decide]

    def overtaken(player: Player) -> bool:
        if deciding:
            assert deciding.pop()(player)
        return False

    monkeypatch.setattr(leaving, "_disqualified", [overtaken])
    with pytest.raises(ExcludedPlayer):
        delete_account(thief, ERASE, clock.now())

    thief.refresh_from_db()
    ann = Player.objects.get()
    assert (ann.external_id, ann.erasing_since) == ("ann", None)
    assert Standing.objects.get(period=period_of(board)).points == 9


@only_postgresql
@pytest.mark.django_db(transaction=True)
def test_an_account_that_is_deleted_while_its_player_is_taken_away_by_hand_waits_and_neither_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner = UserFactory.create(username="owner", email="owner@example.org")
    ann = PlayerFactory.create(external_id="ann", user=owner)
    late: list[Future[list[None]]] = []

    def deleted_meanwhile(*about: Any, **more: Any) -> None:
        late.append(threads.submit(at_once, [lambda: delete_account(owner, KEEP, clock.now())]))
        assert not wait(late, timeout=1).done  # the player is held
        notify_owner(*about, **more)

    monkeypatch.setattr("leaderboards.services.players.link.notify_owner", deleted_meanwhile)
    with ThreadPoolExecutor(1) as threads:
        assert take_away(ann)
        late[0].result()

    assert not User.objects.filter(pk=owner.pk).exists()
    assert Player.objects.get().user is None

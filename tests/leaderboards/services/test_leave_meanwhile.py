"""Moderators decide about a player while the account that has them erases both: then nothing is erased."""

from collections.abc import Callable

import pytest

from accounts.errors import KeptOut
from foundation import clock
from leaderboards.models import Player, Standing
from leaderboards.services import leave as leaving
from leaderboards.services.ban import ban
from leaderboards.services.leave import ERASE, leave
from leaderboards.services.link import link_by_hand
from leaderboards.services.restrict import hiding_in, restrict
from tests.leaderboards.factories import UserFactory
from tests.leaderboards.services.site import make_board, period_of, score

WHY = "Stolen."
Decide = Callable[[Player], object]


def take_away(player: Player) -> bool:
    return link_by_hand(player, None, WHY, clock.now(), None)


def give_to_the_owner(player: Player) -> bool:
    return link_by_hand(player, UserFactory.create(username="owner"), WHY, clock.now(), None)


def hide(player: Player) -> object:
    period = Standing.objects.select_related("period__board").get(player=player).period
    return restrict([player.pk], hiding_in(period), WHY, clock.now(), None)


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
    with pytest.raises(KeptOut):
        leave(thief, ERASE, clock.now())

    thief.refresh_from_db()
    ann = Player.objects.get()
    assert (ann.external_id, ann.erasing_since) == ("ann", None)
    assert Standing.objects.get(period=period_of(board)).points == 9

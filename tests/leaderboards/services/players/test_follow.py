"""Following: a state that is asked for, bounded, of the user alone, and gone with whom it is about."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from foundation import clock
from leaderboards.errors import OwnPlayer, TooManyFollowed, UnknownPlayer
from leaderboards.models import Follow, ImportedPlayer, Player, RestrictionKind
from leaderboards.selectors.player_data import follows
from leaderboards.selectors.player_data.account_export import account_export
from leaderboards.selectors.player_data.follows import followed_ids, followed_players
from leaderboards.selectors.player_data.personal_data import all_stored_data, data_shown_to_player
from leaderboards.services.imports.players import is_referenced
from leaderboards.services.moderation.ban import ban, unban
from leaderboards.services.moderation.restrict import RestrictionScope, lift_from, restrict
from leaderboards.services.players import follow as service
from leaderboards.services.players.delete_account import KEEP, delete_account
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.follow import follow, unfollow
from tests.at_once import at_once
from tests.leaderboards.factories import PlayerFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def robin() -> User:
    for player in ("mina", "omar"):
        PlayerFactory.create(external_id=player)
    return UserFactory.create(username="robin", player="robin")


def following(user: User) -> list[str]:
    return sorted(followed_ids(user.pk))


def test_asking_twice_is_asking_once(robin: User) -> None:
    follow(robin, "mina", clock.now())
    first = Follow.objects.get()
    follow(robin, "mina", clock.now())
    follow(robin, "omar", clock.now())

    assert Follow.objects.get(player__external_id="mina").since == first.since
    assert [each.player.external_id for each in followed_players(robin.pk, 0, 50)[0]] == ["omar", "mina"]

    unfollow(robin, "mina")
    unfollow(robin, "mina")

    assert following(robin) == ["omar"]


@pytest.mark.parametrize(
    ("whom", "refused"), [("nobody", UnknownPlayer), ("a\0b", UnknownPlayer), ("robin", OwnPlayer)]
)
def test_who_is_nobody_or_oneself_is_not_followed(robin: User, whom: str, refused: type[Exception]) -> None:
    with pytest.raises(refused):
        follow(robin, whom, clock.now())

    assert following(robin) == []


def test_two_at_once_do_not_exceed_the_limit(robin: User, monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    monkeypatch.setattr(service, "MOST_FOLLOWED", 1)
    refused: list[TooManyFollowed] = []

    def ask(player: str) -> None:
        try:
            follow(robin, player, clock.now())
        except TooManyFollowed as error:
            refused.append(error)

    at_once([lambda: ask("mina"), lambda: ask("omar")])

    assert Follow.objects.count() == 1
    assert [error.detail for error in refused] == [
        "You follow 1 players, and more are not possible: unfollow somebody first."
    ]


def test_who_is_banned_or_hidden_vanishes_and_comes_back(robin: User) -> None:
    mina = Player.objects.get(external_id="mina")
    follow(robin, "mina", clock.now())
    seen: list[Any] = []

    ban([mina.pk], "Cheated.", clock.now(), None)
    seen.append(following(robin))
    unban([mina.pk], "Played fair.", clock.now(), None)
    for kind in (RestrictionKind.HIDDEN, RestrictionKind.SHADOWED):
        restrict([mina.pk], RestrictionScope(kind), "Why.", clock.now(), None)
        seen += [following(robin), followed_players(robin.pk, 0, 50)]
        with pytest.raises(UnknownPlayer):
            follow(UserFactory.create(), "mina", clock.now())
        lift_from([mina.pk], RestrictionScope(kind), "Over.", clock.now(), None)

    assert seen == [[], [], ([], 0), [], ([], 0)]
    assert following(robin) == ["mina"]


def test_it_goes_with_an_erased_player_and_with_an_account(robin: User) -> None:
    for player in ("mina", "omar"):
        follow(robin, player, clock.now())
    other = UserFactory.create()
    follow(other, "robin", clock.now())

    erase_player("mina", clock.now())

    assert list(Follow.objects.filter(user=robin).values_list("player__external_id", flat=True)) == ["omar"]

    delete_account(robin, KEEP, clock.now())

    assert list(Follow.objects.values_list("user", flat=True)) == [other.pk]


def test_a_file_has_whom_one_follows_and_never_by_whom_one_is_followed(robin: User) -> None:
    fan = UserFactory.create(username="fan-of-robin", player="fan")
    follow(fan, "robin", clock.now())
    follow(robin, "mina", clock.now())

    own = account_export(robin, clock.now())
    of_operators = all_stored_data("robin")

    assert [each["player"] for each in own["following"]] == ["mina"]
    assert [each["player"] for each in of_operators["following"]] == ["mina"]
    assert not any("fan" in repr(each) for each in (own, of_operators, data_shown_to_player("robin")))


def test_followers_are_no_reason_to_keep_a_player_whose_import_is_undone(robin: User) -> None:
    follow(robin, "mina", clock.now())

    assert not is_referenced(Player.objects.get(external_id="mina"))
    assert ImportedPlayer.objects.count() == 0


def test_the_list_is_bounded(robin: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for player in ("mina", "omar"):
        follow(robin, player, clock.now())
    monkeypatch.setattr(follows, "MOST_FOLLOWED", 1)

    assert followed_ids(robin.pk) == ["omar"]

"""Fetch the pictures of players from allowed hosts, and keep them encoded anew.

A player whose address is new is settled: the picture of the old one is dropped, and a row says when the new one is
fetched. A fetched picture is fetched again after a week, a failed one later and later, one from a host that is not
allowed after a day, in case the setting has changed. Fetching holds no transaction: what was fetched is kept only if
the player still has that address. Several workers do no harm: who fetches a row first moves its ``next_at``.
"""

import logging
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction

from foundation import clock
from foundation.http.fetch import NotFetched, fetch
from foundation.sunwi_settings import sunwi_settings
from leaderboards.core.input.picture_hosts import why_refused
from leaderboards.models import Player, PlayerPicture
from leaderboards.selectors.player_data.names import forget_names

if TYPE_CHECKING:
    from leaderboards.services.players.picture_encoding import Encoded

logger = logging.getLogger(__name__)

CHUNK = 500
LEASE = timedelta(minutes=5)
AGAIN = timedelta(days=7)
FIRST_RETRY, LAST_RETRY = timedelta(minutes=10), timedelta(days=1)


def fetch_due_pictures(at: datetime, seconds: float) -> int:
    """Settle new addresses and fetch what is due for about so many seconds. Returns how many were fetched.

    Without allowed hosts nothing is fetched, and what was is deleted.
    """
    if not sunwi_settings.PICTURE_HOSTS:
        delete_pictures()
        return 0
    until, fetched = clock.monotonic() + seconds, 0
    while settle_addresses(at) == CHUNK and clock.monotonic() < until - seconds / 2:
        pass
    while clock.monotonic() < until and (picture := _claim(at)) is not None:
        fetched += fetch_picture(picture, at)
    return fetched


def settle_addresses(at: datetime) -> int:
    """Take up to ``CHUNK`` new addresses: drop the old picture, and note when the new one is fetched."""
    with transaction.atomic():
        due = Player.objects.select_for_update(of=("self",), no_key=True, skip_locked=True).filter(Player.PICTURE_DUE)
        players = list(due.order_by("pk")[:CHUNK])
        PlayerPicture.objects.filter(player__in=players).delete()
        PlayerPicture.objects.bulk_create(
            PlayerPicture(player=player, source=player.avatar_url, **_first_state(player.avatar_url, at))
            for player in players
            if player.avatar_url
        )
        for player in players:
            player.picture, player.picture_from = "", player.avatar_url
        Player.objects.bulk_update(players, ["picture", "picture_from"])
    return len(players)


def _first_state(address: str, at: datetime) -> dict[str, Any]:
    refused = why_refused(address, sunwi_settings.PICTURE_HOSTS)
    return {"next_at": at + LAST_RETRY, "error": refused} if refused else {"next_at": at}


def _claim(at: datetime) -> PlayerPicture | None:
    """Return the picture that is due first, and keep other workers from it for a while; None if none is due."""
    with transaction.atomic():
        due = PlayerPicture.objects.select_for_update(of=("self",), skip_locked=True).filter(next_at__lte=at)
        picture = due.defer("large", "small").order_by("next_at", "pk").first()
        if picture is not None:
            PlayerPicture.objects.filter(pk=picture.pk).update(next_at=at + LEASE)
    return picture


def fetch_picture(picture: PlayerPicture, at: datetime) -> bool:
    """Fetch one picture. Returns whether there is one now; why not stands in its row."""
    if refused := why_refused(picture.source, sunwi_settings.PICTURE_HOSTS):
        return _keep_none(picture, refused, at + LAST_RETRY, drop=True)
    # Pillow takes memory of each worker, and few sites fetch pictures.
    from leaderboards.services.players.picture_encoding import KINDS, NoPicture, encode

    try:
        encoded = encode(fetch(picture.source, KINDS))
    except NotFetched as error:
        logger.info("The picture of player %s was not fetched: %s", picture.player_id, error)
        return _keep_none(picture, str(error), at + _pause(picture.failures), drop=error.is_gone)
    except NoPicture as error:
        return _keep_none(picture, str(error), at + LAST_RETRY, drop=False)
    return _keep(picture, encoded, at)


def _pause(failures: int) -> timedelta:
    longer: timedelta = FIRST_RETRY * 2 ** min(failures, 10)
    return min(longer, LAST_RETRY)


def _keep(picture: PlayerPicture, encoded: "Encoded", at: datetime) -> bool:
    with transaction.atomic():
        player = _still_theirs(picture)
        if player is None:
            return False
        PlayerPicture.objects.filter(pk=picture.pk, source=picture.source).update(
            digest=encoded.digest,
            large=encoded.large,
            small=encoded.small,
            fetched_at=at,
            next_at=at + AGAIN,
            failures=0,
            error="",
        )
        _show(player, encoded.digest)
    return True


def _keep_none(picture: PlayerPicture, error: str, next_at: datetime, *, drop: bool) -> bool:
    """Note why there is no new picture; with ``drop``, the one that there was goes too."""
    values: dict[str, Any] = {"error": error[:200], "next_at": next_at, "failures": min(picture.failures + 1, 1000)}
    with transaction.atomic():
        player = _still_theirs(picture)
        if player is None:
            return False
        if drop:
            values |= {"digest": "", "large": None, "small": None, "fetched_at": None}
            _show(player, "")
        PlayerPicture.objects.filter(pk=picture.pk, source=picture.source).update(**values)
    return False


def _still_theirs(picture: PlayerPicture) -> Player | None:
    """Return the player, locked, if they still have the address that was fetched."""
    rows = Player.objects.select_for_update(of=("self",), no_key=True)
    return rows.filter(pk=picture.player_id, avatar_url=picture.source, picture_from=picture.source).first()


def _show(player: Player, digest: str) -> None:
    if player.picture != digest:
        Player.objects.filter(pk=player.pk).update(picture=digest)
        transaction.on_commit(lambda: forget_names([player.external_id]))


def forget_picture(player: Player) -> None:
    """Delete a player's picture; called by their erasure."""
    Player.objects.filter(pk=player.pk).update(picture="", picture_from="")  # first, as all who lock both do
    PlayerPicture.objects.filter(player=player).delete()


def delete_pictures() -> int:
    """Delete up to ``CHUNK`` pictures, so that those players' addresses are new again."""
    with transaction.atomic():
        numbers = list(PlayerPicture.objects.order_by("pk").values_list("pk", flat=True)[:CHUNK])
        if numbers:
            Player.objects.filter(pk__in=numbers).update(picture="", picture_from="")
            PlayerPicture.objects.filter(pk__in=numbers).delete()
    return len(numbers)

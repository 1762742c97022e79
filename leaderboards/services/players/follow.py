"""A user follows a player, or no longer. Both ask for a state, so asking twice is asking once.

The user's row is locked first and the player's second: so two requests cannot exceed the limit together, and nobody
follows a player who is being erased.
"""

from datetime import datetime

from django.db import transaction

from foundation.messages import Message
from foundation.users import User, users
from leaderboards.errors import OwnPlayer, TooManyFollowed, UnknownPlayer
from leaderboards.models import Follow, Player
from leaderboards.selectors.player_data.follows import MOST_FOLLOWED
from leaderboards.selectors.visibility.restrictions import visible_q


@transaction.atomic
def follow(user: User, external_id: str, at: datetime) -> None:
    """Follow the player from ``at`` on; nothing changes for who follows them already.

    Raises ``UnknownPlayer`` (also for one who is not shown), ``OwnPlayer`` or ``TooManyFollowed``.
    """
    users().select_for_update(no_key=True).get(pk=user.pk)
    shown = Player.objects.filter(visible_q(None, ""), external_id=external_id)
    player = shown.select_for_update(no_key=True, of=("self",)).first() if "\0" not in external_id else None
    if player is None:
        raise UnknownPlayer(Message("There is no such player."))
    if player.user_id == user.pk:
        raise OwnPlayer(Message("This is your own player: you follow others."))
    if Follow.objects.filter(user=user, player=player).exists():
        return
    if Follow.objects.filter(user=user).count() >= MOST_FOLLOWED:
        raise TooManyFollowed(
            Message(
                "You follow %(most)s players, and more are not possible: unfollow somebody first.", most=MOST_FOLLOWED
            )
        )
    Follow.objects.create(user=user, player=player, since=at)


def unfollow(user: User, external_id: str) -> None:
    """Follow the player no longer; nothing changes for who does not follow them."""
    Follow.objects.filter(user=user, player__external_id=external_id).delete()

"""What apps above do when a player is erased: each registers its own function."""

from collections.abc import Callable
from datetime import datetime

from leaderboards.models import Player

Forget = Callable[[Player, datetime], None]
Rename = Callable[[Player, str, datetime], None]
hooks_before: list[Forget] = []
hooks: list[Forget] = []
rename_hooks: list[Rename] = []


def register_hook(forget: Forget) -> None:
    """Have ``forget`` called for each erased player, while they still have their id. Registering twice changes nothing.

    It is called in the transaction that renames the player, hooks of lower apps first. It may raise to refuse, and may
    be called again.
    """
    if forget not in hooks:
        hooks.append(forget)


def register_hook_before(forget: Forget) -> None:
    """Have ``forget`` called before that, outside any transaction, for data in Redis. It may be interrupted."""
    if forget not in hooks_before:
        hooks_before.append(forget)


def register_rename_hook(rename: Rename) -> None:
    """Have ``rename`` called with each erased player, who has the new id by then, and the old id.

    It is called at the end of the transaction that renames the player. Registering twice changes nothing.
    """
    if rename not in rename_hooks:
        rename_hooks.append(rename)

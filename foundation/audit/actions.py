"""The registry of audit actions and kinds of subjects. Each app registers its own at startup."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.utils.functional import Promise

from foundation.errors import NotFound

ADMINS = "foundation.change_auditentry"  # the default permission for undoing

Text = str | Promise


class UnknownAction(NotFound):
    """No installed app registered an action with this code."""


@dataclass(frozen=True, slots=True)
class Action:
    """A kind of action: its code and label, how to undo it (None: it cannot be), the permission for undoing, and for
    which entries undoing is sensitive (None: for none)."""

    code: str
    label: Text
    undo: Callable[..., None] | None = None
    needs: str = ADMINS
    is_sensitive: Callable[..., bool] | None = None


@dataclass(frozen=True, slots=True)
class Opposites:
    """Two actions that cancel each other, if their subjects of ``kinds`` and the values ``names`` in their notes are
    equal. An action can be its own opposite: then the values must have changed in the other direction."""

    one: str
    other: str
    kinds: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubjectKind:
    """A kind of subject: its label, and its model, such as ``leaderboards.board``.

    Users without the permission to view that model see nothing of its rows in the log either.
    """

    kind: str
    label: Text
    model: str


_actions: dict[str, Action] = {}
_opposites: dict[frozenset[str], Opposites] = {}
_subjects: dict[str, SubjectKind] = {}


def register_action(
    code: str,
    label: Text,
    undo: Callable[..., None] | None = None,
    needs: str = ADMINS,
    *,
    is_sensitive: Callable[..., bool] | None = None,
) -> None:
    """Register an action; it replaces an earlier one with the same code.

    ``undo(entry, *, at, by, reason)`` is called in a transaction that locks the entry; it raises a ``SunwiError`` with
    the reason if undoing is no longer possible. ``needs`` is the permission for undoing. ``is_sensitive(entry)`` says
    whether the user must authenticate again before undoing, as for the action itself.
    """
    _actions[code] = Action(code, label, undo, needs, is_sensitive)


def register_opposites(one: str, other: str, kinds: Collection[str], names: Collection[str] = ()) -> None:
    """Register two actions that cancel each other, such as a ban and its lifting, in any order.

    An entry cancels the latest earlier entry of the other action with the same subjects of each of ``kinds`` and the
    same values of ``names`` in its note.
    """
    _opposites[frozenset((one, other))] = Opposites(one, other, tuple(kinds), tuple(names))


def register_subject(kind: str, label: Text, model: str) -> None:
    """Register a kind of subject: rows of ``model`` (``app_label.model_name``), by primary key."""
    _subjects[kind] = SubjectKind(kind, label, model)


def get_action(code: str) -> Action:
    """The action with this code. Raises ``UnknownAction``."""
    if code not in _actions:
        raise UnknownAction(f"Nothing that runs here registered the act {code!r}.")
    return _actions[code]


def label_of(code: str) -> Text:
    """The label of an action; the code itself if it is not registered any more."""
    return _actions[code].label if code in _actions else code


def is_sensitive(code: str, entry: object) -> bool:
    """Whether undoing this entry is sensitive; False for an unknown action, which cannot be undone."""
    action = _actions.get(code)
    return action is not None and action.is_sensitive is not None and action.is_sensitive(entry)


def opposites_of(one: str, other: str) -> Opposites | None:
    """The registered pair of these two actions, in either order; None if there is none."""
    return _opposites.get(frozenset((one, other)))


def opposite_codes(code: str) -> frozenset[str]:
    """The codes of this action and of all its opposites."""
    return frozenset((code,)).union(*(pair for pair in _opposites if code in pair))


def all_actions() -> list[Action]:
    """Every registered action, sorted by code."""
    return [_actions[code] for code in sorted(_actions)]


def all_subjects() -> dict[str, SubjectKind]:
    """Every registered kind of subject, by its name."""
    return dict(_subjects)

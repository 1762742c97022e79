"""Which acts and which kinds of subjects there are, and how an act is undone: the apps above register theirs at the
start of the process."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.utils.functional import Promise

from foundation.errors import NotFound

ADMINS = "foundation.change_auditentry"  # the permission that undoing needs where its act names no other

Text = str | Promise


class UnknownAction(NotFound):
    """No installed app registered an act of this code."""


@dataclass(frozen=True, slots=True)
class Action:
    """A kind of act: its code, how people read it, how it is undone (None: not at all), the permission for that, and
    of which entries undoing is grave (None: of none)."""

    code: str
    label: Text
    undo: Callable[..., None] | None = None
    needs: str = ADMINS
    is_sensitive: Callable[..., bool] | None = None


@dataclass(frozen=True, slots=True)
class Opposites:
    """Two acts that take each other back, ``one`` and ``other``: which kinds of subjects, and which names of their
    notes, are the same then. An act that is its own opposite takes back what changed its values the other way."""

    one: str
    other: str
    kinds: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubjectKind:
    """A kind of subject: how people read it, and the model whose rows it means, such as ``leaderboards.board``.

    Who may not look at rows of that model in the admin reads nothing of them in the log either.
    """

    kind: str
    label: Text
    model: str


_acts: dict[str, Action] = {}
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
    """Let entries bear ``code``. The latest word about a code counts.

    ``undo(entry, *, at, by, reason)`` undoes the act of an entry, in a transaction that holds the entry; it raises a
    ``SunwiError`` that says why where that is not possible any more. ``needs`` is the permission that undoing it needs.
    ``is_sensitive(entry)`` says whether whoever undoes it proves first who they are, as for the act itself.
    """
    _acts[code] = Action(code, label, undo, needs, is_sensitive)


def register_opposites(one: str, other: str, kinds: Collection[str], names: Collection[str] = ()) -> None:
    """Say that these two acts take each other back, such as a ban and its lifting: an entry of one does so with the
    latest entry of the other before it, about the same subjects of each of ``kinds``, and with the same ``names`` in
    its note. The latest word about the two counts; the order of the two is all one."""
    _opposites[frozenset((one, other))] = Opposites(one, other, tuple(kinds), tuple(names))


def register_subject(kind: str, label: Text, model: str) -> None:
    """Let entries be about ``kind``: rows of ``model`` (app and name with a point between), by their primary key."""
    _subjects[kind] = SubjectKind(kind, label, model)


def get_action(code: str) -> Action:
    """What was registered under ``code``. Raises ``UnknownAction``."""
    if code not in _acts:
        raise UnknownAction(f"Nothing that runs here registered the act {code!r}.")
    return _acts[code]


def label_of(code: str) -> Text:
    """How people read a code; one that is not known any more stands as it is."""
    return _acts[code].label if code in _acts else code


def is_sensitive(code: str, entry: object) -> bool:
    """Whether undoing this entry of the act ``code`` is grave; of an act that is not known, nothing is undone."""
    act = _acts.get(code)
    return act is not None and act.is_sensitive is not None and act.is_sensitive(entry)


def opposites_of(one: str, other: str) -> Opposites | None:
    """What was registered about these two acts, in whichever order."""
    return _opposites.get(frozenset((one, other)))


def opposite_codes(code: str) -> frozenset[str]:
    """This act, and all that are opposites of it."""
    return frozenset((code,)).union(*(pair for pair in _opposites if code in pair))


def all_actions() -> list[Action]:
    """Every registered act, by code."""
    return [_acts[code] for code in sorted(_acts)]


def all_subjects() -> dict[str, SubjectKind]:
    """Every registered kind of subject, by its name."""
    return dict(_subjects)

"""Which acts and which kinds of subjects there are, and how an act is undone: the apps above register theirs at the
start of the process."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise

from foundation.errors import NotFound

ADMINS = "foundation.change_auditentry"  # the permission that undoing needs where its act names no other

Text = str | Promise


class UnknownAct(NotFound):
    """No installed app registered an act of this code."""


@dataclass(frozen=True, slots=True)
class Act:
    """A kind of act: its code, how people read it, how it is undone (None: not at all), and the permission for that."""

    code: str
    label: Text
    undo: Callable[..., None] | None = None
    needs: str = ADMINS


@dataclass(frozen=True, slots=True)
class SubjectKind:
    """A kind of subject: how people read it, and the model whose rows it means, such as ``leaderboards.board``.

    Who may not look at rows of that model in the admin reads nothing of them in the log either.
    """

    kind: str
    label: Text
    model: str


_acts: dict[str, Act] = {}
_subjects: dict[str, SubjectKind] = {}


def register_act(code: str, label: Text, undo: Callable[..., None] | None = None, needs: str = ADMINS) -> None:
    """Let entries bear ``code``. The latest word about a code counts.

    ``undo(entry, *, at, by, reason)`` undoes the act of an entry, in a transaction that holds the entry; it raises a
    ``SunwiError`` that says why where that is not possible any more. ``needs`` is the permission that undoing it needs.
    """
    _acts[code] = Act(code, label, undo, needs)


def register_subject(kind: str, label: Text, model: str) -> None:
    """Let entries be about ``kind``: rows of ``model`` (app and name with a point between), by their primary key."""
    _subjects[kind] = SubjectKind(kind, label, model)


def act_of(code: str) -> Act:
    """What was registered under ``code``. Raises ``UnknownAct``."""
    if code not in _acts:
        raise UnknownAct(f"Nothing that runs here registered the act {code!r}.")
    return _acts[code]


def label_of(code: str) -> Text:
    """How people read a code; one that is not known any more stands as it is."""
    return _acts[code].label if code in _acts else code


def all_acts() -> list[Act]:
    """Every registered act, by code."""
    return [_acts[code] for code in sorted(_acts)]


def all_subjects() -> dict[str, SubjectKind]:
    """Every registered kind of subject, by its name."""
    return dict(_subjects)

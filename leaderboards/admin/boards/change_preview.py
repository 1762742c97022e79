"""The preview of saving a board as text: a row for each changed setting, and a sentence for each consequence."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.utils import label_for_field
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboards.admin.boards.preview_seal import SEAL_FIELD, sealed
from leaderboards.admin.wording.decimals import trim_zeros
from leaderboards.admin.wording.descriptions import on_the_boards_clock, setting_in_words
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, Storage, Visibility
from leaderboards.selectors.previews.board_change import Begins, BoardChange, Change
from leaderboards.stores.dynamodb.reads import MOST_RANKED


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A changed setting as text: its name, old value, new value, and when it takes effect."""

    setting: str
    old: str
    new: str
    begins: str


def change_rows(change: BoardChange) -> list[ChangeRow]:
    """Return a row for each changed setting."""
    return [
        ChangeRow(
            capfirst(str(label_for_field(each.setting, Board))),
            setting_in_words(each.setting, each.old, trim_zeros),
            setting_in_words(each.setting, each.new, trim_zeros),
            _begins(change, each),
        )
        for each in change.changes
    ]


def consequences(change: BoardChange) -> list[str]:
    """Return the consequences as sentences, the gravest last."""
    return [*_rank_consequences(change), *_data_consequences(change)]


def preview_context(form: Any) -> dict[str, Any] | None:
    """Return the template context for a board's form whose preview was not seen yet; None for any other form."""
    change = getattr(form, "unconfirmed_change", None)
    if change is None:
        return None
    return {
        "rows": change_rows(change),
        "consequences": consequences(change),
        "again": form.preview_is_outdated,
        "field": SEAL_FIELD,
        "seal": sealed(change),
    }


def _begins(change: BoardChange, each: Change) -> str:
    if each.begins is Begins.NEXT_PERIOD and change.next_at is not None:
        return _("from %(when)s on") % {"when": on_the_boards_clock(change.next_at, change.board)}
    if each.begins is Begins.NEXT_COMPETITION:
        return _("for competitions that are published from now on")
    return _("at once")


def _rank_consequences(change: BoardChange) -> Iterator[str]:
    if any(each.begins is Begins.NEXT_PERIOD for each in change.changes) and change.next_at is not None:
        when = {"when": on_the_boards_clock(change.next_at, change.board)}
        yield _("The running period keeps its rules until %(when)s.") % when
        if change.players is None:
            yield _("From %(when)s on the next period ranks by the new rules.") % when
        elif change.players:
            text = ngettext(
                "From %(when)s on the next period ranks by the new rules; the %(number)s player of the running one "
                "keeps their rank.",
                "From %(when)s on the next period ranks by the new rules; the %(number)s players of the running one "
                "keep their ranks.",
                change.players,
            )
            yield text % (when | {"number": f"{change.players:,}"})
    if any(each.begins is Begins.NEXT_COMPETITION for each in change.changes):
        yield _("Competitions that are published already keep the rules that were announced.")


def _data_consequences(change: BoardChange) -> Iterator[str]:
    visibility = change.change_of("visibility")
    if visibility is not None and visibility.old is not None:
        is_public = visibility.new == Visibility.PUBLIC
        yield (
            _("Everybody can see the board at once.")
            if is_public
            else _("The board is hidden from the public at once.")
        )
    if change.periods is None or change.periods:
        number = "…" if change.periods is None else f"{change.periods:,}"
        yield _("Final periods that leave Redis within the hour, for good (SQL keeps them): %(number)s.") % {
            "number": number
        }
    if change.submissions is None or change.submissions:
        number = "…" if change.submissions is None else f"{change.submissions:,}"
        is_compacted = change.board.period == PeriodKind.ALL_TIME
        words = (
            _("Single submissions that are folded into one for each player, for good: %(number)s.")
            if is_compacted
            else _("Single submissions that are deleted, for good: %(number)s.")
        )
        yield words % {"number": number}
    if change.fixed:
        names = ", ".join(str(label_for_field(each, Board)) for each in change.fixed)
        yield _("Cannot be changed any more once it is saved: %(names)s.") % {"names": names}
    if change.board.storage == Storage.REDIS and change.change_of("storage"):
        yield _("A redis board keeps no single submissions: none can be voided, and no import undone.")
    if change.board.storage == Storage.DYNAMODB and change.change_of("storage"):
        yield _(
            "A board in DynamoDB keeps no single submissions, and ranks end at place %(most)s: docs/storage.md lists "
            "what is not available."
        ) % {"most": f"{MOST_RANKED:,}"}

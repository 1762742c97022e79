"""Preview of undoing an import. Nothing is written."""

from typing import NamedTuple

from django.db.models import Q

from foundation.chunks import in_chunks
from leaderboards.models import ImportedPlayer, ImportRun
from leaderboards.selectors.moderation.purges import PurgePreview, preview_voiding
from leaderboards.services.imports.players import is_unchanged_since, referenced_players
from leaderboards.services.imports.score_rows import SERVICE

MAX_PLAYERS = 20_000  # about two seconds
ROWS_PER_QUERY = 500


class PlayersUndoPreview(NamedTuple):
    """How many profiles are restored, how many players are deleted, and how many of either stay as they are."""

    set_back: int
    removed: int
    stay: int


def number_range(run: ImportRun) -> Q:
    """The range of primary keys of the run's submissions, so that an index finds them."""
    made = [number for kept in run.chunks.values_list("kept", flat=True) for number in kept]
    return Q(pk__gte=min(made, default=0), pk__lte=max(made, default=0))


def preview_scores(run: ImportRun) -> PurgePreview:
    """The submissions that would be voided, and the effect on ranks."""
    return preview_voiding(number_range(run) & Q(service=SERVICE, board=run.board_id, created_at=run.started_at))


def preview_players(run: ImportRun) -> PlayersUndoPreview | None:
    """The preview for the players of the run; None if they are too many to check each."""
    rows = ImportedPlayer.objects.filter(run=run)
    if rows.count() > MAX_PLAYERS:
        return None
    set_back = removed = stay = 0
    for batch in in_chunks(list(rows.select_related("player").order_by("pk")), ROWS_PER_QUERY):
        unchanged = [row for row in batch if is_unchanged_since(row)]
        new = [row.player_id for row in unchanged if row.is_new]
        needed = len(referenced_players(new)) if new else 0
        set_back += len(unchanged) - len(new)
        removed += len(new) - needed
        stay += len(batch) - len(unchanged) + needed
    return PlayersUndoPreview(set_back, removed, stay)

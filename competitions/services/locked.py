"""A competition's row, held: whoever changes a competition, or counts its participants, does so one after another."""

from competitions.models import Competition


def locked(competition: Competition) -> Competition:
    """The row as it is now, held until this transaction ends. Rows that refer to it may still be added."""
    rows = Competition.objects.select_for_update(of=("self",), no_key=True).select_related("board").defer("picture")
    return rows.get(pk=competition.pk)

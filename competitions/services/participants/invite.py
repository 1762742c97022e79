"""Invitations to a competition by list, by external player ids, also of players who do not exist yet."""

from collections.abc import Collection

from django.db import transaction

from competitions.models import Competition, Invitation
from leaderboards.core.input.entries import read_player


def read_invited(text: str) -> list[str]:
    """Parse the ids in ``text``, one per line, without duplicates. Raises ``BadPlayer``, which names the id."""
    lines = (line.strip() for line in text.splitlines())
    return [read_player(line) for line in dict.fromkeys(lines) if line]


@transaction.atomic
def invite(competition: Competition, players: Collection[str]) -> None:
    """Replace the list by ``players``. Participants who have joined already stay."""
    listed = set(competition.invitations.values_list("external_id", flat=True))
    removed = listed - set(players)
    competition.invitations.filter(external_id__in=removed).delete()
    added = [Invitation(competition=competition, external_id=each) for each in players if each not in listed]
    Invitation.objects.bulk_create(added, batch_size=1000, ignore_conflicts=True)

"""Who may join a competition by list: players' ids, also of those who have not played yet."""

from collections.abc import Collection

from django.db import transaction

from competitions.models import Competition, Invitation
from leaderboards.core.input.entries import read_player


def read_invited(text: str) -> list[str]:
    """The ids in ``text``, one a line, each once. Raises ``BadPlayer``, which names the id."""
    lines = (line.strip() for line in text.splitlines())
    return [read_player(line) for line in dict.fromkeys(lines) if line]


@transaction.atomic
def invite(competition: Competition, players: Collection[str]) -> None:
    """Let the list be exactly these. Who has joined already stays."""
    listed = set(competition.invitations.values_list("external_id", flat=True))
    gone = listed - set(players)
    competition.invitations.filter(external_id__in=gone).delete()
    added = [Invitation(competition=competition, external_id=each) for each in players if each not in listed]
    Invitation.objects.bulk_create(added, batch_size=1000, ignore_conflicts=True)

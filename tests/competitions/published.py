"""Published results as somebody outside reads them."""

import json
from typing import Any

from competitions.models import Competition, Revision
from competitions.selectors.results.revisions import parts_of


def revisions(competition: Competition) -> list[Revision]:
    """The earliest first."""
    return list(competition.revisions.order_by("number"))


def document(revision: Revision) -> bytes:
    """The stored bytes of a revision."""
    return b"".join(parts_of(revision))


def told(revision: Revision) -> dict[str, Any]:
    """What they say."""
    found: dict[str, Any] = json.loads(document(revision))
    return found


def places(revision: Revision) -> list[tuple[int, str]]:
    """Rank and player, in the order of rows."""
    return [(row["rank"], row["player"]) for row in told(revision)["rows"]]

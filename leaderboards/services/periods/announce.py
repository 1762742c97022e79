"""The webhook ``period.final``: a period is final, with its best rows as everybody sees them, sent once for each.

A calendar period is announced in the transaction that closes it. That of a competition is announced by its app: once
its result is final and shown, for a result under review or behind a freeze is told to nobody.
"""

from datetime import datetime
from itertools import islice
from typing import Any

import orjson

from foundation.webhooks.outbox import enqueue, event_id
from leaderboards.core.periods import event_number
from leaderboards.models import Period
from leaderboards.selectors.exports.period_rows import Finalist, final_ranking
from leaderboards.selectors.visibility.hidden import hidden_now, keeps_vacated_places

FINAL_WEBHOOK = "period.final"
TOP_ROWS = 10
MOST_BYTES_OF_ROWS = 18_000  # an envelope stands around them, and a message has at most 20,000


def announce_final(period: Period, at: datetime) -> None:
    """Queue the webhook of a final period in the caller's transaction.

    ``at`` is when the period closed, or the competition's result became final or was revealed, as that row has it: a
    second call for the same moment adds no message.
    """
    hidden = hidden_now(period)
    top = islice(final_ranking(period, hidden, keeps_vacated_places(period)), TOP_ROWS)
    payload = {
        "board": period.board_id,
        "period": period.label,
        "competition": event_number(period.label) if period.board.is_event else None,
        "starts_at": period.starts_at,
        "ends_at": period.ends_at,
        "total": period.players - len(hidden),
        "rows": _that_fit([_row(period, rank, finalist) for rank, finalist in top]),
    }
    enqueue(FINAL_WEBHOOK, event_id(f"period-{period.pk}-final", at), payload, at)


def _row(period: Period, rank: int, finalist: Finalist) -> dict[str, Any]:
    points, fields = period.rules.shown(period.layout.unpack(finalist.score, finalist.member).value)
    value = {"points": str(points)} if fields is None else {"fields": fields}
    return {"rank": rank, "player": finalist.player, **value}


def _that_fit(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first of the rows, as many as a message can hold: a refused message would keep the period open."""
    while len(orjson.dumps(rows)) > MOST_BYTES_OF_ROWS:
        rows = rows[:-1]
    return rows

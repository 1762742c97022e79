"""Final ranks: written once, by the period's tie rule, in one statement; and the hash of what was written.

The hash covers rank, internal player number and score, so that erasing a name leaves it valid.
"""

import hashlib

from django.db import connection

from leaderboards.core.rules import Order, Ties
from leaderboards.models import Period, Standing

CHUNK = 5000
_RANKED_BY = {
    Ties.FIRST_COME: "row_number() OVER (ORDER BY score {0}, member {0})",
    Ties.LAST_COME: "row_number() OVER (ORDER BY score {0}, member {0})",
    Ties.SHARED: "rank() OVER (ORDER BY score {0})",
    Ties.DENSE: "dense_rank() OVER (ORDER BY score {0})",
}


def write_final_ranks(period: Period) -> None:
    """Give every ranked standing its final rank. Run again it changes nothing."""
    ranked = _RANKED_BY[period.rules.ties].format("DESC" if period.rules.order is Order.DESC else "ASC")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE leaderboards_standing AS s SET final_rank = r.place FROM ("
            f"SELECT id, {ranked} AS place FROM leaderboards_standing WHERE period_id = %s AND score IS NOT NULL"
            ") AS r WHERE s.id = r.id AND s.final_rank IS DISTINCT FROM r.place",
            [period.pk],
        )


def content_hash(period: Period) -> str:
    """SHA-256 over the lines ``rank,player number,score``, by rank and then player number."""
    rows = Standing.objects.filter(period=period, final_rank__isnull=False).order_by("final_rank", "player_id")
    digest = hashlib.sha256()
    for rank, player_id, score in rows.values_list("final_rank", "player_id", "score").iterator(chunk_size=CHUNK):
        digest.update(f"{rank},{player_id},{score!r}\n".encode())
    return digest.hexdigest()

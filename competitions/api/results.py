"""What one takes home: the standings as CSV, the final result with its hash, the rewards.

A result has a permanent address and stays. While a freeze hides it, it does not exist yet.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import Router

from competitions.api.access import competition_to_read, is_private
from competitions.api.parameters import COMPETITION
from competitions.api.schemas import FinalResult, RewardsShown
from competitions.errors import NotFinal
from competitions.models import Competition, RewardGrant, RewardTier, TierKind
from competitions.selectors import rewards
from competitions.selectors.standings import export_rows
from foundation import clock
from leaderboards.api.access import Reads
from leaderboards.api.answers import JSON, conditional
from leaderboards.api.downloads import CSV, Download, csv_parts
from leaderboards.api.encoding import as_json, number, when
from leaderboards.api.export import is_mirrored, never_changes
from leaderboards.api.parameters import LIMIT, OFFSET, RAW, Bounded, Whole
from leaderboards.api.standings import row_shown
from leaderboards.models import Period
from leaderboards.selectors import Row, content_hash_of
from leaderboards.selectors.hidden import hidden_in
from leaderboards.selectors.periods import period_by_label

ROWS_A_PART = 500

router = Router(tags=["competitions"], auth=Reads())


@router.get("/competitions/{competition}/standings.csv")
def export_competition(request: HttpRequest, competition: Whole = COMPETITION, raw: bool = RAW) -> HttpResponseBase:
    """All rows as CSV, as of a board; during a freeze those from before it."""
    found, at = competition_to_read(request, competition), clock.now()
    hidden = found.is_hidden(at)
    copy = period_by_label(found.board, found.frozen_label) if hidden else None
    stored = copy or period_by_label(found.board, found.label)
    live = stored is None or is_mirrored(stored)
    columns = [field.name for field in (stored.rules if stored else found.board.rules).fields]

    def read() -> tuple[datetime, Iterator[bytes]]:
        as_of, rows = export_rows(found, at)
        return as_of, csv_parts(columns, rows, raw)

    download = Download(f"competition-{found.pk}.csv", CSV, is_private(found), read)
    # What is hidden does not change for the public, whether the copy is there yet or not.
    stays = stored is not None and (hidden or never_changes(stored))
    response = download.final(request) if stays else download.open()
    response["Live"] = "true" if live else "false"
    return response


@router.get("/competitions/{competition}/result.json", response=FinalResult)
def read_result(request: HttpRequest, competition: Whole = COMPETITION) -> HttpResponseBase:
    """The final result: every row, and the hash over them."""
    found, at = competition_to_read(request, competition), clock.now()
    period = period_by_label(found.board, found.label)
    if found.final_at is None or found.is_hidden(at) or period is None:
        raise NotFinal("This competition has no final result yet.")
    head = _head(found, period)

    def read() -> tuple[datetime, Iterator[bytes]]:
        as_of, rows = export_rows(found, at)
        return as_of, _json_parts(head, _participants(rows))

    return Download(f"competition-{found.pk}-result.json", JSON, is_private(found), read).final(request)


@router.get("/competitions/{competition}/rewards", response=RewardsShown)
def read_rewards(
    request: HttpRequest, competition: Whole = COMPETITION, offset: Bounded = OFFSET, limit: Bounded = LIMIT
) -> HttpResponse:
    """What can be won, and who has won it."""
    found = competition_to_read(request, competition)
    granted = rewards.grants(found, clock.now(), offset, limit)
    content = {
        "tiers": [_tier_shown(tier) for tier in rewards.tiers(found)],
        "total": granted.total,
        "rows": [_grant_shown(grant) for grant in granted.rows],
    }
    return conditional(request, content, is_private(found))


def _head(competition: Competition, period: Period) -> dict[str, Any]:
    assert competition.final_at is not None  # noqa: S101 - for the type checker: only finals have a result
    return {
        "competition": {
            "id": competition.pk,
            "name": competition.name,
            "board": competition.board_id,
            "starts_at": when(competition.starts_at),
            "ends_at": when(competition.ends_at),
        },
        "final_at": when(competition.final_at),
        "content_hash": content_hash_of(period),
        "total": period.players - len(hidden_in(period)),
    }


def _participants(rows: Iterator[Row]) -> Iterator[bytes]:
    """Rows as JSON, some hundreds at once."""
    while several := list(islice(rows, ROWS_A_PART)):
        yield b",".join(as_json(row_shown(row)) for row in several)


def _json_parts(head: dict[str, Any], several: Iterable[bytes]) -> Iterator[bytes]:
    """One JSON object in parts: what stands before its rows, and the rows."""
    yield as_json(head)[:-1] + b',"rows":['
    for nth, part in enumerate(several):
        yield part if nth == 0 else b"," + part
    yield b"]}"


def _tier_shown(tier: RewardTier) -> dict[str, Any]:
    from_rank = tier.from_rank if tier.kind == TierKind.RANK else None
    return {"name": tier.name, "by": tier.kind, "from_rank": from_rank, "limit": number(tier.limit)}


def _grant_shown(grant: RewardGrant) -> dict[str, Any]:
    player = grant.player
    return {
        "rank": grant.rank,
        "player": player.external_id,
        "name": player.name or player.external_id,
        "reward": grant.name,
        "granted_at": when(grant.granted_at),
    }

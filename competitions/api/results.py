"""The standings as CSV, and the rewards. The published result is in ``revisions.py``."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import Router

from competitions.api.access import competition_to_read, is_private
from competitions.api.parameters import COMPETITION
from competitions.api.schemas.competitions import RewardsShown
from competitions.models import RewardGrant, RewardTier, TierKind
from competitions.selectors.rewards import rewards
from competitions.selectors.standings.group_columns import GroupColumns
from competitions.selectors.standings.standings import export_rows
from foundation import clock
from foundation.http.encoding import number, when
from leaderboards.api.http.access import OptionalKey
from leaderboards.api.http.downloads import CSV, Download
from leaderboards.api.http.paging import refuse_too_many_rows
from leaderboards.api.http.parameters import LIMIT, METADATA_COLUMN, OFFSET, RAW, Bounded, WholeNumber
from leaderboards.api.http.responses import etag_response
from leaderboards.api.routes.export import is_mirrored, never_changes
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.selectors.exports.cached_files import fingerprint_of
from leaderboards.selectors.exports.standings_csv import MoreColumns, csv_parts

router = Router(tags=["competitions"], auth=OptionalKey())


@router.get("/competitions/{competition}/standings.csv")
def export_competition(
    request: HttpRequest,
    competition: WholeNumber = COMPETITION,
    raw: bool = RAW,
    metadata: bool = METADATA_COLUMN,
) -> HttpResponseBase:
    """All rows as CSV, as of a board, with team, division and the place in it where there are any; during a freeze from
    before it."""
    found, at = competition_to_read(request, competition), clock.now()
    hidden = found.is_hidden(at)
    copy = period_by_label(found.board, found.frozen_label) if hidden else None
    stored = copy or period_by_label(found.board, found.label)
    live = stored is None or is_mirrored(stored)
    rules = stored.rules if stored else found.board.rules
    columns = [field.name for field in rules.fields]

    def read() -> tuple[datetime, Iterator[bytes]]:
        as_of, rows = export_rows(found, at, metadata=metadata)
        groups = GroupColumns(found, rules.ties)
        more = MoreColumns(groups.names, groups.texts)
        return as_of, csv_parts(columns, rows, raw, more.with_metadata() if metadata else more)

    download = Download(f"competition-{found.pk}.csv", CSV, is_private(found), read)
    # Frozen standings do not change for the public, whether the copy exists yet or not.
    is_fixed = stored is not None and (hidden or never_changes(stored))
    # Teams and divisions may be renamed at any time. Frozen standings are not cached, so that no file of them remains.
    has_groups = bool(GroupColumns(found, rules.ties).names)
    is_cacheable = stored is not None and not hidden and not found.timeline.may_become_hidden and not has_groups
    is_cacheable = is_cacheable and not metadata  # it may change where the result does not
    stamp = partial(fingerprint_of, stored, "competition", raw) if is_cacheable and stored else None
    response = download.final(request, stamp) if is_fixed else download.open()
    response["Live"] = "true" if live else "false"
    return response


@router.get("/competitions/{competition}/rewards", response=RewardsShown)
def read_rewards(
    request: HttpRequest, competition: WholeNumber = COMPETITION, offset: Bounded = OFFSET, limit: Bounded = LIMIT
) -> HttpResponse:
    """What can be won, and who has won it."""
    refuse_too_many_rows(request, limit)
    found = competition_to_read(request, competition)
    granted = rewards.grants(found, clock.now(), offset, limit)
    content = {
        "tiers": [_tier_json(tier) for tier in rewards.tiers(found)],
        "total": granted.total,
        "rows": [_grant_json(grant) for grant in granted.rows],
    }
    return etag_response(request, content, is_private(found))


def _tier_json(tier: RewardTier) -> dict[str, Any]:
    from_rank = tier.from_rank if tier.kind == TierKind.RANK else None
    return {"name": tier.name, "by": tier.kind, "from_rank": from_rank, "limit": number(tier.limit)}


def _grant_json(grant: RewardGrant) -> dict[str, Any]:
    player = grant.player
    return {
        "rank": grant.rank,
        "player": player.external_id,
        "name": player.name or player.external_id,
        "reward": grant.name,
        "granted_at": when(grant.granted_at),
    }

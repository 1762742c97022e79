"""The codes of refusals in the OpenAPI document: known values, and open for new ones.

A test compares them with docs/api.md. What competitions and likes add is in their own part of the API.
"""

from collections.abc import Iterable
from typing import Any

from leaderboards.api.openapi.shared import SCHEMAS

# Of requests: `code` of a problem.
OF_REQUESTS = (
    *("unauthenticated", "signature_missing", "signature_expired", "signature_wrong", "replayed"),
    *("signature_unexpected", "address_forbidden", "https_required", "forbidden"),
    *("invalid_request", "malformed_body", "bad_content_type", "method_not_allowed", "length_required"),
    *("unsupported_media_type", "body_too_large", "bad_player", "rate_limited", "server_error", "unavailable"),
    *("outcome_unknown", "exports_busy"),
    *("no_such_path", "not_found", "unknown_board", "unknown_period", "not_ranked", "conflict", "period_closed"),
)
# Of single entries: `code` of a result.
OF_ENTRIES = (
    *("bad_entry", "bad_points", "bad_player", "bad_time", "bad_id", "out_of_range"),
    *("unknown_board", "unknown_competition", "not_joined", "not_started", "not_open", "period_closed"),
    *("too_many_attempts", "in_the_future", "banned", "board_reserved", "id_reused", "forbidden"),
    *("plausible_least", "plausible_most", "submissions_per_minute", "points_per_minute", "own_jump", "field_jump"),
    *("unavailable", "outcome_unknown"),
)
_PLACES = {"Problem": "ErrorCode", "ProblemOfScores": "ErrorCode", "Result": "ResultCode"}
_OPEN = "Known values; later versions may add some, so take an unknown one as its status says."


def add_codes(document: dict[str, Any], more: Iterable[str]) -> None:
    """Add both lists to the components, and name them where they stand, in place; ``more`` are those of other apps."""
    schemas = document["components"]["schemas"]
    for name, codes in (("ErrorCode", {*OF_REQUESTS, *more}), ("ResultCode", set(OF_ENTRIES))):
        schemas[name] = {"title": name, "type": "string", "enum": sorted(codes), "description": _OPEN}
    for place, name in _PLACES.items():
        code = schemas[place]["properties"]["code"]
        kinds = code.pop("anyOf", [{"type": code.pop("type", "string")}])
        code["anyOf"] = [{"$ref": SCHEMAS + name}, *kinds]

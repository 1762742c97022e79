"""Examples for the OpenAPI document of likes, with a thing that was liked on this site, if there is one."""

from typing import Any

from django.db import Error as SqlError

from leaderboards.api.http.parameters import MOST_NAMED
from leaderboards.api.openapi.document import READING, OperationDoc
from likes.core.keys import KIND, THING
from likes.models import LikeCount

_ID = {"type": "string", "pattern": f"^{THING.pattern}$"}
_BOUNDS: dict[str, dict[str, Any]] = {
    "kind": {"pattern": f"^{KIND.pattern}$"},
    "id": _ID,
    "ids": {"minItems": 1, "maxItems": MOST_NAMED, "items": _ID},
}
# Of refusals, beside those of every part of the API.
CODES = ("unknown_kind", "unknown_thing", "own_comment")


def like_operation_docs() -> dict[str, OperationDoc]:
    """The documentation of each operation, by its name."""
    kind, thing = _example_thing()
    of_kind: dict[str, str | int] = {"kind": kind}
    one = of_kind | {"id": thing}
    seen = {"count": 12, "liked": True, "live": True}
    return {
        "read_likes": OperationDoc(path=one, query="?player=alice", answer=seen, parameters=_BOUNDS),
        "list_likes": OperationDoc(
            path=of_kind,
            query=f"?ids={thing}&player=alice",
            answer={"total": 1, "rows": [{"id": thing, **seen}]},
            parameters=_BOUNDS,
        ),
        "put_like": OperationDoc(
            refusals=READING, path=one | {"player": "alice"}, answer={"liked": True, "count": 12}, parameters=_BOUNDS
        ),
        "delete_like": OperationDoc(
            refusals=READING, path=one | {"player": "alice"}, answer={"liked": False, "count": 11}, parameters=_BOUNDS
        ),
    }


def _example_thing() -> tuple[str, str]:
    """A kind and an id."""
    try:
        liked = LikeCount.objects.order_by("-pk").values_list("kind", "thing").first()
    except SqlError:
        liked = None
    return liked or ("comment", "5")

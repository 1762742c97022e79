"""The seal of a previewed board change: signed into the form, and compared with the effects of saving now.

Settings and times must be equal. Counts may differ a little, since players go on scoring while the user reads.
"""

import hashlib
import json
from typing import Any

from django.core import signing
from django.core.serializers.json import DjangoJSONEncoder

from leaderboards.selectors.previews.board_change import BoardChange, as_json

SEAL_FIELD = "_seen"
SALT = "leaderboards.board.seen"
SEAL_MAX_AGE_SECONDS = 3600
_COUNTS = ("players_ranked_anew", "submissions_deleted", "periods_leaving_redis")


def sealed(*changes: BoardChange) -> str:
    """Return a signed text that identifies the changes that are shown."""
    return signing.dumps([[_digest(each), _counts(each)] for each in changes], salt=SALT)


def matches_seal(seal: str, *changes: BoardChange) -> bool:
    """Return whether ``seal`` was made within ``SEAL_MAX_AGE_SECONDS`` of the same changes.

    A count may be lower than the seen one, or greater by at most a tenth or ten, unless it was 0.
    """
    try:
        seen = signing.loads(seal, salt=SALT, max_age=SEAL_MAX_AGE_SECONDS)
    except signing.BadSignature:
        return False
    return len(seen) == len(changes) and all(_is_same(before, now) for before, now in zip(seen, changes, strict=True))


def _is_same(seen: Any, change: BoardChange) -> bool:
    seen_digest, seen_counts = seen
    counts = _counts(change)
    return bool(seen_digest == _digest(change)) and all(_is_near(seen_counts[each], counts[each]) for each in counts)


def _digest(change: BoardChange) -> str:
    """Hash all that must be equal, which includes the stored settings as old values."""
    content = {name: value for name, value in as_json(change).items() if name not in _COUNTS}
    text = json.dumps(content, cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _counts(change: BoardChange) -> dict[str, Any]:
    content = as_json(change)
    return {name: content[name] for name in _COUNTS}


def _is_near(seen: int | None, now: int | None) -> bool:
    if seen is None or now is None:  # SQL did not count in time
        return True
    return now <= seen or (seen > 0 and now - seen <= max(10, seen // 10))

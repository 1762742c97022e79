"""What somebody was shown before they save a board: signed into the form, and compared with what saving would do now.

Settings, stored and typed, and moments must be the same. Counts may have moved a little: people play while one reads.
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
    """A text for the form that says what was shown; nobody but this site can make one."""
    return signing.dumps([[_settled(each), _counts(each)] for each in changes], salt=SALT)


def matches_seal(seal: str, *changes: BoardChange) -> bool:
    """Whether ``seal`` was made within the hour, of what ``changes`` say, give or take a tenth (at least ten) of each
    count."""
    try:
        seen = signing.loads(seal, salt=SALT, max_age=SEAL_MAX_AGE_SECONDS)
    except signing.BadSignature:
        return False
    return len(seen) == len(changes) and all(_is_same(before, now) for before, now in zip(seen, changes, strict=True))


def _is_same(seen: Any, change: BoardChange) -> bool:
    settled, counts = seen
    now = _counts(change)
    return bool(settled == _settled(change)) and all(_is_near(counts[each], now[each]) for each in now)


def _settled(change: BoardChange) -> str:
    """A digest of all that must be the same: stored settings are in it as the old ones."""
    said = {name: value for name, value in as_json(change).items() if name not in _COUNTS}
    typed = json.dumps(said, cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(typed.encode()).hexdigest()


def _counts(change: BoardChange) -> dict[str, Any]:
    said = as_json(change)
    return {name: said[name] for name in _COUNTS}


def _is_near(seen: int | None, now: int | None) -> bool:
    if seen is None or now is None:  # SQL had no time to count
        return True
    return now <= seen or (seen > 0 and now - seen <= max(10, seen // 10))

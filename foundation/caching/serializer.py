"""How values lie in a cache: as bytes or as JSON, which are read and never run.

Django's own way is pickle, and anybody who may write into the cache then runs code in every process that reads it. What
is no value of ours reads as None, as if nothing were there. The trap: it may still be a value of the wrong kind, since
anybody with the cache's password may have written it; who asks looks at what they got.
"""

import json
from typing import Any

from django_redis.serializers.base import BaseSerializer

BYTES, JSON = b"b", b"j"


class BytesJsonSerializer(BaseSerializer):  # type: ignore[misc]  # it has no types
    """Bytes as they are, all else as JSON, each behind a letter. (Whole numbers never come here: Redis knows them.)"""

    def dumps(self, value: Any) -> bytes:
        """``value`` to be kept. Raises ``TypeError`` where JSON has no word for it."""
        if isinstance(value, bytes):
            return BYTES + value
        return JSON + json.dumps(value, allow_nan=False, separators=(",", ":")).encode()

    def loads(self, value: bytes) -> Any:
        """What was kept; None for anything else that lies there."""
        kind, rest = value[:1], value[1:]
        if kind == BYTES:
            return rest
        try:
            return json.loads(rest) if kind == JSON else None
        except (ValueError, RecursionError):
            return None

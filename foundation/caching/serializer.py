"""Serialising cache values as bytes or JSON, never as pickle.

With pickle, Django's default, anyone who can write to the cache can run code in every process that reads it. A value
in another format reads as None, like a miss. The trap: a value may still have the wrong type, because anyone with the
cache's password may have written it; callers must check it.
"""

import json
from typing import Any

from django_redis.serializers.base import BaseSerializer

BYTES, JSON = b"b", b"j"


class BytesJsonSerializer(BaseSerializer):  # type: ignore[misc]  # the base class has no types
    """Bytes unchanged, all else as JSON, after a letter for the format. django-redis stores integers itself."""

    def dumps(self, value: Any) -> bytes:
        """Serialise ``value``. Raises ``TypeError`` if JSON cannot express it."""
        if isinstance(value, bytes):
            return BYTES + value
        return JSON + json.dumps(value, allow_nan=False, separators=(",", ":")).encode()

    def loads(self, value: bytes) -> Any:
        """Read a stored value; None if the format is unknown or broken."""
        kind, rest = value[:1], value[1:]
        if kind == BYTES:
            return rest
        try:
            return json.loads(rest) if kind == JSON else None
        except (ValueError, RecursionError):
            return None

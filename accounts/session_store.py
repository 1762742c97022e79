"""Sessions in SQL under a hash of their key: who reads a dump of SQL has no cookie that signs in.

Django's own store but for that; the trap: what asks for a row by ``session_key`` must hash the key first.
"""

from hashlib import sha256
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as InClear
from django.contrib.sessions.base_session import AbstractBaseSession
from django.utils import timezone


def hashed(key: str) -> str:
    """What stands in SQL for a session's key: 160 bits, in hexadecimal digits, as its column takes."""
    return sha256(f"session {key}".encode()).hexdigest()[:40]


class SessionStore(InClear):
    """What ``SESSION_ENGINE`` names."""

    def exists(self, session_key: str) -> bool:
        """Whether there is one of this key."""
        return super().exists(hashed(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        """The row to be saved."""
        row = super().create_model_instance(data)
        row.session_key = hashed(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        """The one of this key, else this one."""
        key = session_key or self.session_key
        if key is not None:
            super().delete(hashed(key))

    def _get_session_from_db(self) -> AbstractBaseSession | None:
        now, key = timezone.now(), hashed(self.session_key or "")
        row: AbstractBaseSession | None = self.model.objects.filter(session_key=key, expire_date__gt=now).first()
        if row is None:
            self._session_key = None
        return row

"""Django's database sessions, stored under a hash of their key, so that a dump of SQL contains no usable cookie.

The trap: code that finds a row by ``session_key`` must hash the key first.
"""

from hashlib import sha256
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.utils import timezone


def hashed(key: str) -> str:
    """Hash a session's key for its column: 160 bits in hexadecimal digits."""
    return sha256(f"session {key}".encode()).hexdigest()[:40]


class SessionStore(DatabaseSessionStore):
    """The store for ``SESSION_ENGINE``."""

    def exists(self, session_key: str) -> bool:
        """Whether a session with this key exists."""
        return super().exists(hashed(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        """Build the row, with the hashed key."""
        row = super().create_model_instance(data)
        row.session_key = hashed(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        """Delete the session with this key, by default this one."""
        key = session_key or self.session_key
        if key is not None:
            super().delete(hashed(key))

    def _get_session_from_db(self) -> AbstractBaseSession | None:
        now, key = timezone.now(), hashed(self.session_key or "")
        row: AbstractBaseSession | None = self.model.objects.filter(session_key=key, expire_date__gt=now).first()
        if row is None:
            self._session_key = None
        return row

"""The backend that Django loads by the name of this folder."""

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Asks the socket before it asks the server: a connection that rests has nothing to say unless it is gone.

    Django sends ``SELECT 1`` at the start of each request (CONN_HEALTH_CHECKS), which is one round trip of the five
    of a submit. A server that ends a connection closes it, or says why: then the socket can be read.
    """

    def is_usable(self) -> bool:
        """Whether the connection stands, as far as this side of it can know. After an error the server is asked."""
        return (not self.errors_occurred and self._rests()) or super().is_usable()

    def _rests(self) -> bool:
        if self.connection is None or self.connection.closed:
            return False
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return not poll.poll(0)

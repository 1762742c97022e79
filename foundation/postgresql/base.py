"""The database backend; Django loads this module by the name of its folder."""

import os
import select
import threading
from types import TracebackType
from typing import Any
from weakref import WeakSet

import psycopg
from django.db import OperationalError
from django.db.backends.postgresql import base
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property
from psycopg.errors import IdleInTransactionSessionTimeout

from foundation.monitoring.server_metrics import count_sql_error

STYLES = {"DateStyle": "ISO", "IntervalStyle": "postgres"}


class Errors(DatabaseErrorWrapper):
    """Convert the driver's errors to Django's.

    After ``idle_in_transaction_session_timeout`` the server has closed the connection, so it becomes an
    ``OperationalError``, like other lost connections; Django would raise an ``InternalError``.
    """

    def __init__(self, wrapper: base.DatabaseWrapper) -> None:
        super().__init__(wrapper)
        self._wrapper = wrapper

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, psycopg.Error):
            count_sql_error(error)
        if isinstance(error, IdleInTransactionSessionTimeout):
            self._wrapper.errors_occurred = True
            raise OperationalError(*error.args).with_traceback(traceback) from error
        super().__exit__(kind, error, traceback)


class _ThreadConnections:
    """The connections that a thread opened; they are closed when the thread ends and this object is deleted.

    Django leaves that to the garbage collector, which runs rarely here (config/wsgi.py), while an idle web server ends
    threads and starts others.
    """

    def __init__(self) -> None:
        self.connections: WeakSet[psycopg.Connection[Any]] = WeakSet()
        self._process = os.getpid()

    def __del__(self) -> None:
        if self._process == os.getpid():  # a forked process must not close its parent's connections
            for each in tuple(self.connections):
                each.close()


class _ThreadState(threading.local):
    def __init__(self) -> None:
        self.opened = _ThreadConnections()


_thread = _ThreadState()


class DatabaseWrapper(base.DatabaseWrapper):
    """Check an idle connection by its socket instead of by a query; have times written as the driver reads them.

    Django sends ``SELECT 1`` at the start of each request (CONN_HEALTH_CHECKS): one of the five round trips of a
    submit. An idle socket becomes readable only if the server closed the connection or sent an error.

    The driver reads times and durations in one style alone; a project's OPTIONS, a role or a server may have others.
    """

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        """The context manager around calls of the driver."""
        return Errors(self)

    def init_connection_state(self) -> None:
        """Prepare a new connection as Django does, and set the styles that the driver reads where they are others."""
        super().init_connection_state()
        told = self.connection.info.parameter_status  # what the server said by itself: no round trip
        others = [name for name, style in STYLES.items() if (told(name) or style).partition(",")[0] != style]
        for name in others:
            self.connection.execute(f"SET {name} = {STYLES[name]}")
        if others and not self.get_autocommit():
            self.connection.commit()

    def get_new_connection(self, conn_params: dict[str, Any]) -> psycopg.Connection[Any]:
        """Open a connection; it is closed at the latest when this thread ends."""
        opened: psycopg.Connection[Any] = super().get_new_connection(conn_params)
        _thread.opened.connections.add(opened)
        return opened

    def is_usable(self) -> bool:
        """Whether the connection is open, judged by its socket; after an error by a query."""
        return (not self.errors_occurred and self._is_quiet()) or super().is_usable()

    def _is_quiet(self) -> bool:
        if self.connection is None or self.connection.closed:
            return False
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return not poll.poll(0)

"""The backend that Django loads by the name of this folder."""

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


class Errors(DatabaseErrorWrapper):
    """Drivers' errors as Django's. A transaction that rested too long was ended by the server with its connection: SQL
    is away for it, as where it hangs up for any other reason, and no fault of ours, as Django would have it.
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


class _Opened:
    """The connections that a thread has opened. It is let go by the thread as it ends, and closes them.

    Django leaves that to the collector, which comes seldom (config/wsgi.py), while a web server that has little to do
    ends its threads and starts others.
    """

    def __init__(self) -> None:
        self.connections: WeakSet[psycopg.Connection[Any]] = WeakSet()
        self._process = os.getpid()

    def __del__(self) -> None:
        if self._process == os.getpid():  # a process that was forked has its parent's too
            for each in tuple(self.connections):
                each.close()


class _Thread(threading.local):
    """What belongs to the thread that asks."""

    def __init__(self) -> None:
        self.opened = _Opened()


_thread = _Thread()


class DatabaseWrapper(base.DatabaseWrapper):
    """Asks the socket before it asks the server: a connection that rests has nothing to say unless it is gone.

    Django sends ``SELECT 1`` at the start of each request (CONN_HEALTH_CHECKS), which is one round trip of the five
    of a submit. A server that ends a connection closes it, or says why: then the socket can be read.
    """

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        """Around whatever asks the driver."""
        return Errors(self)

    def get_new_connection(self, conn_params: dict[str, Any]) -> psycopg.Connection[Any]:
        """A connection that is closed when this thread ends, if not before."""
        opened: psycopg.Connection[Any] = super().get_new_connection(conn_params)
        _thread.opened.connections.add(opened)
        return opened

    def is_usable(self) -> bool:
        """Whether the connection stands, as far as this side of it can know. After an error the server is asked."""
        return (not self.errors_occurred and self._rests()) or super().is_usable()

    def _rests(self) -> bool:
        if self.connection is None or self.connection.closed:
            return False
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return not poll.poll(0)

"""Metrics of errors of SQL and Redis; they are updated only when something fails."""

import time

from foundation.monitoring.instruments import LabelledCounter, LatestMoment

sql_errors = LabelledCounter(
    "sunwi_sql_errors_total", "Errors of PostgreSQL, by class of SQLSTATE; `none` where it did not answer.", ["class"]
)
redis_errors = LabelledCounter(
    "sunwi_redis_errors_total", "Calls of the boards' Redis that failed: away, no_answer, refused.", ["kind"]
)
replica_reads = LabelledCounter(
    "sunwi_replica_reads_total",
    "Reads that replicas may answer: answered, or too_old, no_answer, refused, none_ready, and then by the primary.",
    ["answer"],
)
for _kind in ("away", "no_answer", "refused"):
    redis_errors.start(_kind)
for _kind in ("answered", "too_old", "no_answer", "refused", "none_ready"):
    replica_reads.start(_kind)
sql_errors.start("none")
_redis_open_until = LatestMoment(
    "sunwi_redis_breaker_open_until_seconds", "Until when (Unix time) some process asks Redis nothing."
)
_sql_open_until = LatestMoment(
    "sunwi_sql_breaker_open_until_seconds", "Until when (Unix time) some process asks SQL nothing."
)


def set_redis_breaker(seconds: float) -> None:
    """Note that this process's breaker is open for ``seconds``; 0 closes it."""
    _redis_open_until.note(time.time() + seconds if seconds else 0)


def set_sql_breaker(seconds: float) -> None:
    """Note that this process's breaker is open for ``seconds``."""
    _sql_open_until.note(time.time() + seconds)


def count_sql_error(error: BaseException) -> None:
    """Count an error of the driver by its SQLSTATE class."""
    state = getattr(error, "sqlstate", None)
    sql_errors.add(state[:2] if state else "none")

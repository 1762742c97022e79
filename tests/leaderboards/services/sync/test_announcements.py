"""Announcements and marks of a hybrid board, step by step: what is published, by whom, and what stays to be published.

Points are bits, so that what Redis shows tells whose submissions are in it.
"""

from contextlib import suppress
from unittest.mock import patch

import pytest
from django.db import connection

from foundation.redis import client as redis
from leaderboards.models import Standing
from leaderboards.services.sync import publish, reconcile
from leaderboards.stores.redis.publish import Publisher, new_token
from leaderboards.stores.redis.writes import ZsetRow
from tests.at_once import at_once
from tests.leaderboards.services.site import crowd, in_redis, in_sql, make_board
from tests.leaderboards.services.sync.scored_bits import BEFORE, NEVER, ONE, OTHER, RolledBack, sent
from tests.links import links

__all__ = ["links"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("links"),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time"),
]


def test_who_is_answered_is_shown_also_while_another_decides_who_then_rolls_back() -> None:
    board = make_board("hybrid", update="increment")
    period = crowd(board, {"ann": BEFORE})

    def meanwhile(step: str) -> None:
        if step == "submit.before_publish":
            with patch.object(publish, "failpoint", die), suppress(RolledBack):
                at_once([sent(board, NEVER)])

    def die(step: str) -> None:
        if step == "submit.before_commit":
            raise RolledBack

    with patch.object(publish, "failpoint", meanwhile):
        sent(board, ONE)()

    assert [*in_redis(period).values()] == [BEFORE + ONE]
    assert any(Publisher(redis.boards()).inflight(period))
    assert reconcile.reconcile(period) == 1
    assert in_redis(period) == in_sql(period)
    assert not any(Publisher(redis.boards()).inflight(period))


def test_what_was_read_is_not_shown_before_what_was_decided_in_between() -> None:
    """Else the writer in between, whose row is older than what was read, would take a step back."""
    board = make_board("hybrid", update="increment")
    period = crowd(board, {"ann": BEFORE})
    [member] = in_redis(period)
    publisher = Publisher(redis.boards())
    for token in ("of one who died", "in between", "of the last"):
        publisher.announce(period, ["ann"], token)

    assert publisher.publish(period, {"of one who died": [ZsetRow("ann", 7.0, member)]}) == {"ann"}
    assert [*in_redis(period).values()] == [BEFORE]
    in_between = publisher.prepare_publish(period, {"in between": [ZsetRow("ann", 3.0, member)]})
    assert publisher.send_prepared(in_between) == set()
    assert [*in_redis(period).values()] == [3.0]
    assert publisher.publish(period, {"of the last": [ZsetRow("ann", 7.0, member)]}) == set()
    assert [*in_redis(period).values()] == [7.0]


def test_who_publishes_late_changes_nothing_that_was_decided_since() -> None:
    board = make_board("hybrid", update="increment")
    period = crowd(board, {"ann": BEFORE})
    [member] = in_redis(period)
    late = ZsetRow("ann", 1.0, member)
    publisher = Publisher(redis.boards())
    publisher.announce(period, ["ann"], "of before")
    sent(board, ONE)()

    assert publisher.publish(period, {"of before": [late]}) == {"ann"}

    assert in_redis(period) == in_sql(period)


def test_who_is_still_deciding_is_not_reconciled() -> None:
    board = make_board("hybrid", update="increment")
    period = crowd(board, {"ann": BEFORE})
    reconciled: list[int] = []

    def meanwhile(step: str) -> None:
        if step == "submit.before_commit":
            reconciled.extend(at_once([lambda: reconcile.reconcile(period)]))

    with patch.object(publish, "failpoint", meanwhile):
        sent(board, ONE)()

    assert reconciled == [0]
    assert in_redis(period) == in_sql(period)


def test_a_mark_of_who_wrote_since_we_read_stays() -> None:
    """They could not announce, so nobody but settling will show it."""
    board = make_board("hybrid", update="increment")
    period = crowd(board, {"ann": BEFORE})
    Standing.objects.filter(period=period).update(pending_publish=True)

    def meanwhile(step: str) -> None:
        if step == "reconcile.after_shown":
            with patch.object(publish, "_announce", side_effect=list):
                sent(board, ONE)()

    with patch.object(reconcile, "failpoint", meanwhile):
        reconcile.publish_current(period, ["ann"])

    assert Standing.objects.get(period=period).pending_publish


def test_a_mark_of_what_was_read_and_not_shown_stays() -> None:
    """One writer ended the claim, and another could not announce: what was read of both is not in Redis."""
    board = make_board("hybrid", update="increment")
    period = crowd(board, {"ann": BEFORE})
    Standing.objects.filter(period=period).update(pending_publish=True)

    def meanwhile(step: str) -> None:
        if step == "reconcile.after_claim":
            sent(board, ONE)()
            with patch.object(publish, "_announce", side_effect=list):
                sent(board, OTHER)()

    with patch.object(reconcile, "failpoint", meanwhile):
        reconcile.publish_current(period, ["ann"])

    assert Standing.objects.get(period=period).pending_publish
    assert [*in_redis(period).values()] == [BEFORE + ONE]


def test_announcements_are_kept_as_a_table_which_is_not_walked_for_each_player() -> None:
    period = crowd(make_board("hybrid"), {"ann": BEFORE})

    Publisher(redis.boards()).announce(period, ["ann"], new_token())

    assert redis.boards().call("OBJECT", "ENCODING", period.family.inflight) == b"hashtable"

"""A key that is bound to addresses, sent from elsewhere, with whatever is said of where it comes from."""

from typing import Any

import pytest
from django.conf import LazySettings

from foundation.models import ServiceKey
from foundation.security import key_restrictions
from leaderboards.models import Visibility
from tests.foundation.factories import KeyFactory
from tests.leaderboards.api.conftest import Make, problem
from tests.security.signer import SCORES, entry, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def board(make_board: Make) -> int:
    return make_board(storage="sql")


def test_a_key_that_is_bound_to_addresses_is_refused_from_all_others(board: int, settings: LazySettings) -> None:
    text = KeyFactory.create()
    key_restrictions.restrict_addresses(ServiceKey.objects.get(), ["192.0.2.0/24", "2001:db8::7"])

    def told(remote: str, forwarded: str = "") -> Any:
        headers = {"From": remote} | ({"X-Forwarded-For": forwarded} if forwarded else {})
        return send(text, "POST", SCORES, entry(board), headers)

    within = [told(each).status_code for each in ("192.0.2.9", "::ffff:192.0.2.9", "2001:db8::7")]
    without = [told(each) for each in ("192.0.3.1", "2001:db8::8", "")]
    lied = told("203.0.113.5", "192.0.2.9")
    settings.TRUSTED_PROXIES = 1
    behind = told("10.0.0.1", "203.0.113.5, 192.0.2.9").status_code
    forged = told("192.0.2.9", "192.0.2.9, 203.0.113.5")
    unread = told("192.0.2.9", "192.0.2.9, unknown")

    assert within == [200, 200, 200]
    assert behind == 200
    for refused in (*without, lied, forged, unread):
        problem(refused, 403, "address_forbidden")
    assert "192.0.3.1" in problem(without[0], 403, "address_forbidden")["detail"]


def test_a_bound_key_reads_no_private_board_from_elsewhere(make_board: Make) -> None:
    board = make_board(visibility=Visibility.PRIVATE)
    text = KeyFactory.create()
    key_restrictions.restrict_addresses(ServiceKey.objects.get(), ["192.0.2.0/24"])

    address = f"/api/v1/boards/{board}/standings"
    problem(send(text, "GET", address, b"", {"From": "192.0.3.1"}), 403, "address_forbidden")
    assert send(text, "GET", address, b"", {"From": "192.0.2.1"}).status_code == 200

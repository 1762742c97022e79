"""Periods in the audit log, which notes them by number, are told as people call them."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from foundation.audit import record
from foundation.audit.models import AuditEntry
from tests.leaderboards.admin.typed import page
from tests.leaderboards.factories import BoardFactory, PeriodFactory, PlayerFactory

pytestmark = pytest.mark.django_db(transaction=True)

LOG = "/admin/foundation/auditentry/"


def test_a_period_is_named_by_its_label_and_board_on_the_pages_and_in_the_file(admin: Client) -> None:
    period = PeriodFactory.create(board=BoardFactory.create(name="Weekly wins", period="week"))
    called = f"{period.label} of Weekly wins"
    ann = PlayerFactory.create(external_id="ann", name="Ann")
    about: list[tuple[str, object]] = [("player", ann.pk), ("board", period.board_id)]
    note = {"restriction": 2, "kind": "hidden", "period": period.pk}
    record("player.standing_hidden", at=datetime(2026, 3, 2, tzinfo=UTC), subjects=about, note=note)
    entry = AuditEntry.objects.get(act="player.standing_hidden")

    file = admin.get(f"{LOG}export/").getvalue().decode()

    for shown in (page(admin, LOG), page(admin, f"{LOG}{entry.pk}/change/")):
        assert called in shown
    assert f"period: {period.pk}" not in page(admin, f"{LOG}{entry.pk}/change/")
    named = f"player:{ann.pk} {ann}; board:{period.board_id} Weekly wins; period:{period.pk} {called}"
    assert named in file

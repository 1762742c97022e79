"""From where somebody acted, in the audit log: for those who may look at accounts, and nobody else."""

import csv
import io

import pytest
from django.test import Client

from foundation.audit.models import AuditEntry
from tests.leaderboards.admin.typed import page
from tests.leaderboards.factories import PlayerFactory
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
LOG = "/admin/foundation/auditentry/"
BAN = {"confirmed": "1", "reason": "A bot."}


def test_where_somebody_acted_from_is_in_list_entry_filter_and_file(admin: Client) -> None:
    here, there = PlayerFactory.create(), PlayerFactory.create()
    for player, address in ((here, "192.0.2.7"), (there, "192.0.2.8")):
        admin.post(f"/admin/leaderboards/player/{player.pk}/ban/", BAN, REMOTE_ADDR=address)

    listed = page(admin, LOG)
    found = admin.get(LOG, {"address": "192.0.2.7"}).context["cl"].result_list
    rows = csv.DictReader(io.StringIO(admin.get(f"{LOG}export/?act=player.banned").getvalue().decode()))

    assert 'href="/admin/foundation/auditentry/?address=192.0.2.7">192.0.2.7</a>' in listed
    assert [entry.keys("player") for entry in found] == [[str(here.pk)]]
    assert "192.0.2.7" in page(admin, f"{LOG}{found[0].pk}/change/")
    assert [row["address"] for row in rows] == ["192.0.2.8", "192.0.2.7"]


def test_who_may_not_look_at_accounts_is_told_no_address_and_asks_for_none() -> None:
    client, player = staff(name="mod", groups=["moderator"]), PlayerFactory.create()
    client.post(f"/admin/leaderboards/player/{player.pk}/ban/", BAN, REMOTE_ADDR="192.0.2.7")
    entry = AuditEntry.objects.get(act="player.banned")

    told = [
        page(client, LOG),
        page(client, f"{LOG}{entry.pk}/change/"),
        client.get(f"{LOG}export/").getvalue().decode(),
    ]

    assert entry.address == "192.0.2.7"
    assert not [each for each in told if "192.0.2.7" in each]
    assert not client.get(LOG, {"q": "192.0.2.7"}).context["cl"].result_list
    assert client.get(LOG, {"address": "192.0.2.7"}).status_code == 400

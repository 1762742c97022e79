"""What moderation keeps of a player: all of it is in their export, and an erasure leaves nothing that tells of them."""

import json
from datetime import timedelta

import pytest
from django.test import Client

from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.models import ImportedPlayer, Player, PurgedSubmission, QuarantinedEntry, Submission
from leaderboards.selectors.moderation.purges import PurgeRange
from leaderboards.selectors.player_data.personal_data import all_stored_data
from leaderboards.services.moderation.edit import EditedValue, edit_submission
from leaderboards.services.moderation.purge import request_purge
from leaderboards.services.moderation.run_purge import run_due
from leaderboards.services.players.erase import erase_player
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.imports.files import AT, confirmed, play, sent
from tests.leaderboards.services.restricting import keep_out, let_back
from tests.leaderboards.views.pages import signed_in

pytestmark = pytest.mark.django_db(transaction=True)

WHY = "Robin of Seoul leaked a key."
MODERATED = ("restrictions", "quarantined entries", "submission edits", "purges", "purged submissions")
BY_BOARD = timedelta(minutes=1)


def moderated() -> None:
    """Robin was imported, edited, quarantined, purged, hidden and shadowed; what they called themselves is Robbie."""
    board = BoardFactory.create(storage="sql", at=AT, plausible_most=100)
    confirmed(sent("players", "player,name\nrobin,Robbie\n"))
    play(board, "robin", 7)
    play(board, "robin", 101)
    row = Submission.objects.select_related("period__board", "player", "board").get()
    edit_submission(row, EditedValue(points=8), WHY, AT, None)
    request_purge(PurgeRange(AT, AT + BY_BOARD, row.player_id), WHY, AT + BY_BOARD, None)
    run_due(AT + BY_BOARD, 60.0)
    keep_out("hidden", board, "robin")
    keep_out("shadowed everywhere", board, "robin")


def test_operators_export_all_of_it_and_nothing_of_it_names_them_once_they_are_erased() -> None:
    with clock.freeze_at(AT):
        moderated()

        kept = all_stored_data("robin")
        erased = erase_player("robin", AT).player
        left = str(all_stored_data(erased)) + str(list(AuditEntry.objects.values("reason", "before", "after", "note")))

    assert all(kept[each] for each in (*MODERATED, "imported players"))
    assert {row["kind"] for row in kept["restrictions"]} == {"hidden", "shadowed"}
    assert kept["quarantined entries"][0]["limit"] == 100
    assert kept["submission edits"][0]["before"] == [7]
    assert WHY in str(kept["audit log"])
    assert not any(word in left for word in ("robin", "Robbie", WHY, "A test."))
    assert not QuarantinedEntry.objects.exists()
    assert not ImportedPlayer.objects.exists()
    assert PurgedSubmission.objects.filter(submission__player__external_id=erased).exists()


def test_players_export_the_same_but_shadows_and_limits_and_what_staff_keep_to_themselves() -> None:
    client = signed_in(Client(), "owner", "robin")
    with clock.freeze_at(AT):
        moderated()
    let_back()

    told = json.loads(client.get("/account/export/").content)["player"]

    assert all(told[each] for each in (*MODERATED, "imported players"))
    assert [row["kind"] for row in told["restrictions"]] == ["hidden"]
    assert "shadow" not in json.dumps(told)
    assert "player.hidden" in {row["act"] for row in told["audit log"]}
    assert not {"rule", "observed", "limit"} & told["quarantined entries"][0].keys()
    assert "plausible_most" not in json.dumps(told)
    assert WHY not in json.dumps(told)
    assert "A test." not in json.dumps(told)
    assert not [name for row in told["audit log"] + told["purges"] for name in row if name.endswith("by_id")]


def test_restrictions_of_everybody_else_stay_out_of_it() -> None:
    with clock.freeze_at(AT):
        moderated()
        Player.objects.create(external_id="other")

        kept = all_stored_data("other")

    assert not any(kept[each] for each in (*MODERATED, "imported players", "audit log"))

"""Pages that ask for a reason say who reads it: staff alone, or the players of a competition too, in both languages."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils.translation import override

from foundation.audit.models import AuditEntry
from leaderboards.admin.undo.reason_readers import REASON_FOR_COMPETITORS
from leaderboards.models import Board
from tests.leaderboards.admin.moderation.test_ban_pages import scored
from tests.leaderboards.admin.test_moderation import PURGE, a_minute, shown
from tests.leaderboards.admin.typed import make_board, page
from tests.leaderboards.admin.undo.test_previews import banned, edited, purged

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

BY_STAFF = "Only those who run the site read it."
TOLD = "Players whose scores in competitions it changes are told, in the words of your reason."
TO_ALL = "Everybody can read it once the result is final: write it for the public."


def test_the_page_of_a_purge_says_that_players_in_competitions_read_its_reason(admin: Client) -> None:
    scored(make_board(name="One"), {"ann": 9})

    asked, _ = shown(admin, PURGE, player="ann", **a_minute())

    assert f"{TOLD} {TO_ALL}" in asked
    assert BY_STAFF not in asked


@pytest.mark.parametrize(
    ("action", "act", "is_told"),
    [(purged, "submissions.purged", True), (banned, "player.banned", False), (edited, "submission.edited", False)],
)
def test_the_page_that_undoes_says_who_reads_its_reason(
    admin: Client, action: Callable[[Board], object], act: str, is_told: bool
) -> None:
    board = make_board(name="One")
    scored(board, {"ann": 9, "bob": 7, "cleo": 5})
    action(board)

    asked = page(admin, f"/admin/foundation/auditentry/{AuditEntry.objects.get(act=act).pk}/undo/")

    assert (f"{TOLD} {TO_ALL}" in asked, BY_STAFF in asked) == (is_told, not is_told)


def test_it_is_said_in_korean_too() -> None:
    with override("ko"):
        said = str(REASON_FOR_COMPETITORS)

    assert "이로 인해 대회 점수가 달라지는 플레이어에게는 적어 주신 사유가 그대로 전달됩니다." in said
    assert not any(word.isascii() and word.isalpha() for word in said.split())

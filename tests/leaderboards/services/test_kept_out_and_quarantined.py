"""Who is hidden, shadowed or banned, beside limits of plausibility: against whom a jump is held, and whose waits."""

import pytest

from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from leaderboards.core.submissions import Status
from leaderboards.errors import Banned, UnknownEntry
from leaderboards.models import QuarantinedEntry
from leaderboards.services.moderation.review_quarantine import accept, void
from leaderboards.services.players.erase import erase_player
from leaderboards.services.submit.decide_redis import forget_bans
from tests.leaderboards.services.contest import told
from tests.leaderboards.services.moderation.test_review_quarantine import LATER, quarantined
from tests.leaderboards.services.restricting import keep_out, let_back
from tests.leaderboards.services.site import NOON, crowd, make_board
from tests.leaderboards.services.submit.test_quarantine import STORAGES, of, send, stand, waiting


@STORAGES
class TestFirstPlace:
    @pytest.mark.parametrize("how", ["hidden", "shadowed everywhere", "banned"])
    def test_a_jump_is_held_against_the_first_of_those_who_are_shown(self, storage: str, how: str) -> None:
        board = make_board(storage, field_jump=2, field_jump_players=2)
        crowd(board, {"cheat": 900, "twin": 800, "b": 10, "c": 20})
        keep_out(how, board, "cheat", "twin")

        far = send(board, of("d", 41))
        let_back()
        near = send(board, of("d", 41))

        assert (told(far), told(near)) == (["field_jump"], ["updated"])
        assert waiting() == [("d", "field_jump", 41, 40)]

    def test_who_is_not_shown_makes_no_field(self, storage: str) -> None:
        board = make_board(storage, field_jump=2, field_jump_players=3, order="asc")
        crowd(board, {"cheat": 1, "b": 100, "c": 200})
        keep_out("hidden", board, "cheat")

        few = send(board, of("d", 40))
        enough = send(board, of("e", 19))

        assert (told(few), told(enough)) == (["updated"], ["field_jump"])
        assert waiting() == [("e", "field_jump", 19, 20)]


@STORAGES
class TestTheirEntries:
    @pytest.mark.parametrize("how", ["hidden everywhere", "shadowed"])
    def test_of_the_hidden_and_shadowed_they_wait_and_count_as_those_of_others_do(self, storage: str, how: str) -> None:
        board = make_board(storage, plausible_most=100)
        crowd(board, {"a": 5})
        keep_out(how, board, "a")

        [outcome] = send(board, of("a", 101, id="m1"))
        accept(QuarantinedEntry.objects.get().pk, "Seen on video.", LATER, None)

        assert (outcome.status, outcome.code) == (Status.QUARANTINED, "plausible_most")
        assert stand(board) == {"a": 101}

    @pytest.mark.parametrize("how", ["banned", "banned everywhere"])
    def test_of_the_banned_none_is_accepted_until_the_ban_is_lifted(
        self, storage: str, how: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        board, [number] = quarantined(storage)
        send(board, of("z", 1))  # this process knows from here on, for a second, that nobody is banned
        monkeypatch.setattr("leaderboards.services.moderation.restrict.forget_bans", lambda: None)
        monkeypatch.setattr("leaderboards.services.moderation.ban.forget_bans", lambda: None)
        keep_out(how, board, "a")

        with pytest.raises(Banned, match="lift the ban first, or void the entry"):
            accept(number, "Seen on video.", LATER, None)
        before = stand(board)
        let_back()
        forget_bans()
        accept(number, "Seen on video.", LATER, None)

        assert before == {"b": 7, "z": 1}
        assert stand(board) == {"a": 101, "b": 7, "z": 1}


def test_after_an_erasure_undoing_a_voiding_says_that_the_entry_is_gone() -> None:
    _board, [number] = quarantined("sql")
    void(number, "Impossible.", LATER, None)
    voided = AuditEntry.objects.get(act="score.quarantine_voided")
    erase_player("a", NOON)

    with pytest.raises(UnknownEntry):
        undo(voided.pk, "A mistake.", LATER, None)

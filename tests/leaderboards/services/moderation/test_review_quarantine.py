"""A moderator accepts a quarantined entry, which counts once and as of its own time, or voids it."""

from datetime import timedelta
from typing import Any

import pytest

from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from foundation.errors import SunwiError
from foundation.reasons import BadReason
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.errors import (
    Banned,
    PeriodClosed,
    QuarantineDecided,
    QuarantineOutcomeUnknown,
    QuarantineRefused,
    UnknownEntry,
)
from leaderboards.models import Board, Player, QuarantinedEntry, Standing, Submission
from leaderboards.selectors.previews.acceptance import preview_acceptance
from leaderboards.services.moderation import review_quarantine
from leaderboards.services.moderation.ban import ban, unban
from leaderboards.services.moderation.review_quarantine import ACCEPTED, ID_KNOWN_FOR, accept, void
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from leaderboards.services.moderation.void import void_by_hand
from leaderboards.services.periods.retention import drop_records
from leaderboards.services.players.erase import erase_player
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at, let_happen_before
from tests.leaderboards.services.contest import told
from tests.leaderboards.services.site import DAY, NOON, make_board, period_of, redis_away, redis_client
from tests.leaderboards.services.submit.test_quarantine import STORAGES, of, send, stand

HOUR = timedelta(hours=1)
LATER = NOON + HOUR


def quarantined(storage: str, *sent: dict[str, Any], **settings: Any) -> tuple[Board, list[int]]:
    """A board of sums up to 100 a time, and the numbers of what was quarantined."""
    board = make_board(storage, **{"plausible_most": 100, "update": "increment", **settings})
    send(board, of("b", 7), *(sent or [of("a", 101, id="m1")]))
    return board, list(QuarantinedEntry.objects.values_list("pk", flat=True))


@STORAGES
class TestAccepting:
    @pytest.mark.parametrize("sent", [of("a", 101, id="m1"), of("a", 101)], ids=["with an id", "without"])
    def test_it_counts_once_as_of_its_own_time_and_is_told_the_same_when_sent_again(
        self, storage: str, sent: dict[str, Any]
    ) -> None:
        board, [number] = quarantined(storage, sent)

        done = [accept(number, "Seen on video.", at, None) for at in (LATER, LATER + HOUR)]

        assert done == [True, False]
        assert stand(board) == {"a": 101, "b": 7}
        row = QuarantinedEntry.objects.get()
        assert (row.decision, row.decided_at, row.reason) == ("accepted", LATER, "Seen on video.")
        assert Standing.objects.get(player__external_id="a").at == NOON
        if "id" in sent:
            [again] = send(board, sent, at=LATER + 2 * HOUR)
            assert (again.status.value, again.code) == ("quarantined", "plausible_most")
            assert "accepted" in str(again.detail)
            assert stand(board) == {"a": 101, "b": 7}

    def test_its_undo_voids_it_where_submissions_are_kept_and_no_newer_decision_is_overruled(
        self, storage: str
    ) -> None:
        board, [number] = quarantined(storage)
        accept(number, "Seen on video.", LATER, None)
        entry = AuditEntry.objects.get(act=ACCEPTED)
        if storage == "redis":
            with pytest.raises(NotUndoable, match="No submission of its own"):
                undo(entry.pk, "A forged video.", LATER, None)
            assert stand(board) == {"a": 101, "b": 7}
            return

        told = undo(entry.pk, "A forged video.", LATER, None)

        assert (told.act, told.undoes, stand(board)) == ("score.voided", entry, {"b": 7})
        undo(told.pk, "It was not forged.", LATER, None)
        assert stand(board) == {"a": 101, "b": 7}

    def test_its_undo_overrules_nobody_who_judged_it_since(self, storage: str) -> None:
        if storage == "redis":
            return
        board, [number] = quarantined(storage)
        accept(number, "Seen on video.", LATER, None)
        row = Submission.objects.select_related("period__board", "player", "board").get(points=101)
        void_by_hand(row, "A suspicion.", LATER, None)
        unvoid_by_hand(row, "Unfounded.", LATER, None)

        with pytest.raises(NotUndoable, match="does not stand"):
            undo(AuditEntry.objects.get(act=ACCEPTED).pk, "An old line.", LATER, None)

        assert stand(board) == {"a": 101, "b": 7}

    def test_the_look_counts_all_ranks_as_they_then_are(self, storage: str) -> None:
        board, _ = quarantined(storage, of("a", 101, id="m1"), of("a", 102, id="m2"), of("c", 103, id="m3"))
        stand(board)  # SQL follows

        told = preview_acceptance(
            list(QuarantinedEntry.objects.select_related("period__board", "player").order_by("pk"))
        )

        assert told == RankChanges(1, 3)  # a and c come in before b, who was first
        assert preview_acceptance([]) == RankChanges()

    def test_whoever_dies_midway_leaves_it_waiting_and_the_next_counts_it_once(self, storage: str) -> None:
        board, [number] = quarantined(storage)
        for step in ("quarantine.after_mark", "quarantine.after_applied", "quarantine.before_accepted"):
            with dying_at(review_quarantine, step):
                accept(number, "Seen on video.", LATER, None)
            assert QuarantinedEntry.objects.get().decision == ""
            assert not AuditEntry.objects.filter(act__startswith="score.").exists()

        assert accept(number, "Seen on video.", LATER, None)

        assert stand(board) == {"a": 101, "b": 7}
        assert AuditEntry.objects.get(act__startswith="score.").act == "score.quarantine_accepted"

    def test_a_void_one_is_not_ranked_stays_claimed_and_can_be_put_back(self, storage: str) -> None:
        board, [number] = quarantined(storage)

        done = [void(number, "Impossible.", at, None) for at in (LATER, LATER + HOUR)]
        with pytest.raises(QuarantineDecided):
            accept(number, "Changed my mind.", LATER, None)
        [again] = send(board, of("a", 101, id="m1"), at=LATER)

        assert done == [True, False]
        assert (again.status.value, "voided" in str(again.detail)) == ("quarantined", True)
        assert stand(board) == {"b": 7}
        undo(AuditEntry.objects.get(act="score.quarantine_voided").pk, "A mistake.", LATER, None)
        assert accept(number, "Seen on video.", LATER, None)
        assert stand(board) == {"a": 101, "b": 7}

    def test_what_counts_is_not_voided(self, storage: str) -> None:
        _, [number] = quarantined(storage)
        accept(number, "Seen on video.", LATER, None)

        with pytest.raises(QuarantineDecided):
            void(number, "Impossible.", LATER, None)

    @pytest.mark.parametrize(
        ("wrong", "refusal"),
        [("banned", Banned), ("closed", PeriodClosed), ("total", QuarantineRefused), ("no reason", BadReason)],
    )
    def test_what_cannot_count_is_refused_and_waits_as_before(
        self, storage: str, wrong: str, refusal: type[SunwiError]
    ) -> None:
        _, [number] = quarantined(storage, of("a", 101), total_maximum=150)
        at, reason = LATER, "Seen on video."
        if wrong == "banned":
            Player.objects.filter(external_id="a").update(banned_at=NOON)
        elif wrong == "closed":
            at = NOON + DAY
        elif wrong == "no reason":
            reason = " "
        else:
            send(Board.objects.get(), of("a", 100))

        with pytest.raises(refusal):
            accept(number, reason, at, None)

        row = QuarantinedEntry.objects.get()
        assert (row.decision, row.accepting_since) == ("", None)

    def test_two_who_press_at_once_count_it_once(self, storage: str) -> None:
        board, [number] = quarantined(storage)

        done = at_once([lambda: accept(number, "Seen on video.", LATER, None)] * 2)

        assert sorted(done) == [False, True]
        assert stand(board) == {"a": 101, "b": 7}
        assert AuditEntry.objects.filter(act=ACCEPTED).count() == 1

    def test_whoever_is_erased_leaves_nothing_here(self, storage: str) -> None:
        _, [number] = quarantined(storage)

        erase_player("a", LATER)

        with pytest.raises(UnknownEntry):
            accept(number, "Seen on video.", LATER, None)
        assert not QuarantinedEntry.objects.exists()


class TestRedis:
    def test_what_was_begun_and_counts_is_not_voided(self) -> None:
        _, [number] = quarantined("redis")
        with dying_at(review_quarantine, "quarantine.after_applied"):
            accept(number, "Seen on video.", LATER, None)

        with pytest.raises(QuarantineDecided):
            void(number, "Impossible.", LATER, None)

    def test_what_was_begun_and_does_not_count_is_voided(self) -> None:
        board, [number] = quarantined("redis")
        with dying_at(review_quarantine, "quarantine.after_mark"):
            accept(number, "Seen on video.", LATER, None)

        assert void(number, "Impossible.", LATER, None)
        assert stand(board) == {"b": 7}

    def test_after_a_day_nobody_knows_whether_it_counts(self) -> None:
        _, [number] = quarantined("redis", period="week")
        with dying_at(review_quarantine, "quarantine.after_applied"):
            accept(number, "Seen on video.", LATER, None)
        with redis_client() as client:  # ids have run out
            client.delete(*client.scan_iter("*:ids:*"))

        with pytest.raises(QuarantineOutcomeUnknown):
            accept(number, "Seen on video.", LATER + ID_KNOWN_FOR + HOUR, None)

    def test_while_redis_is_away_it_waits(self) -> None:
        board, [number] = quarantined("redis")

        with redis_away(), pytest.raises(SunwiError) as refused:
            accept(number, "Seen on video.", LATER, None)

        assert refused.value.code == "unavailable"
        assert QuarantinedEntry.objects.get().decision == ""
        assert period_of(board).state == "open"


def test_the_entry_of_a_board_is_found_by_board_and_player_in_the_audit_log() -> None:
    board, [number] = quarantined("sql")

    accept(number, "Seen on video.", LATER, None)

    [entry] = AuditEntry.objects.filter(act=ACCEPTED, subjects__kind="board", subjects__key=str(board.pk))
    player = Player.objects.get(external_id="a")
    assert list(entry.subjects.filter(kind="player").values_list("key", flat=True)) == [str(player.pk)]
    assert (entry.reason, entry.note["score"], entry.note["rule"]) == ("Seen on video.", "101", "plausible_most")


def test_what_was_decided_long_ago_goes_and_what_waits_stays(settings: Any) -> None:
    settings.KEEP_RECORDS_DAYS = 30
    _, [old, _] = quarantined("sql", of("a", 101), of("c", 102))
    void(old, "Impossible.", NOON, None)

    drop_records(NOON + 29 * DAY)
    kept = QuarantinedEntry.objects.count()
    drop_records(NOON + 31 * DAY)

    assert (kept, [row.player.external_id for row in QuarantinedEntry.objects.all()]) == (2, ["c"])


def test_the_grace_takes_what_was_quarantined_in_it() -> None:
    board, [number] = quarantined("sql", of("a", 101), grace_seconds=3600)
    end = period_of(board).ends_at

    assert end is not None
    assert accept(number, "Seen on video.", end + timedelta(minutes=59), None)
    assert told(send(board, of("a", 101))) == ["plausible_most"]


def applied_and_killed(number: int) -> None:
    """Redis has the entry, and SQL never heard of it."""
    with dying_at(review_quarantine, "quarantine.after_applied"):
        accept(number, "Seen on video.", LATER, None)


def test_what_counts_in_redis_is_accepted_for_the_record_though_its_player_is_banned_since() -> None:
    board, [number] = quarantined("redis")
    applied_and_killed(number)
    ban(Player.objects.filter(external_id="a").values_list("pk", flat=True), "A cheat.", LATER, None)
    with pytest.raises(QuarantineDecided, match="set the standing"):
        void(number, "A cheat.", LATER, None)

    assert accept(number, "It counts.", LATER + HOUR, None)

    assert QuarantinedEntry.objects.get().decision == "accepted"
    unban(Player.objects.filter(external_id="a").values_list("pk", flat=True), "No cheat.", LATER, None)
    assert stand(board) == {"a": 101, "b": 7}


def test_who_is_refused_while_another_had_it_counted_and_was_killed_leaves_the_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, [number] = quarantined("redis")
    player = Player.objects.get(external_id="a")

    def they_are_let_in_for_a_moment() -> None:
        unban([player.pk], "A mistake.", LATER, None)
        applied_and_killed(number)
        ban([player.pk], "A cheat.", LATER, None)

    ban([player.pk], "A cheat.", LATER, None)
    let_happen_before(monkeypatch, review_quarantine, "_unmark", they_are_let_in_for_a_moment)
    with pytest.raises(Banned):
        accept(number, "Seen on video.", LATER, None)

    with pytest.raises(QuarantineDecided):
        void(number, "A cheat.", LATER, None)

"""Acts on boards, players and scores in the audit log: who, why, before and after; and how they are undone from it."""

from pathlib import Path
from threading import Barrier, Thread

import pytest
from django.apps import apps
from django.db import connection

from foundation import clock
from foundation.audit.actions import all_subjects
from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards.errors import BadBoard, PeriodClosed, UnknownPlayer
from leaderboards.models import BanRecord, Board, Period, Player, Submission
from leaderboards.services.boards import retire, save_board
from leaderboards.services.moderation.ban import ban, unban
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from leaderboards.services.moderation.void import void_by_hand
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.link import make_code, redeem
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.api.conftest import with_key
from tests.leaderboards.commands.calls import run
from tests.leaderboards.factories import AdminFactory, BoardFactory, PlayerFactory, UserFactory
from tests.leaderboards.services.site import make_board, score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
WHY = "By mistake."


def only(act: str) -> AuditEntry:
    return AuditEntry.objects.get(act=act)


def subjects(entry: AuditEntry) -> set[tuple[str, str]]:
    return set(entry.subjects.values_list("kind", "key"))


def scored(points: int = 7) -> Submission:
    """Alice's only score, of the running period."""
    score(make_board("sql", clock.now()), {"alice": points}, clock.now())
    return Submission.objects.get()


def test_a_file_of_boards_is_in_the_log_with_what_it_changed_and_the_command(tmp_path: Path) -> None:
    file = tmp_path / "boards.json"
    file.write_text('{"boards": [{"name": "Weekly"}]}')
    run("apply_boards", file)
    file.write_text('{"boards": [{"name": "Weekly", "unit": "metres", "retention_days": 9}]}')
    before = Board.objects.get().retention_days

    run("apply_boards", file)
    run("apply_boards", file)  # changes nothing

    made, changed = only("board.made"), only("board.changed")
    assert made.after["name"] == "Weekly"
    assert changed.before == {"unit": "points", "retention_days": before}
    assert changed.after == {"unit": "metres", "retention_days": 9}
    assert changed.note == {"command": "apply_boards"}
    assert subjects(changed) == {("board", str(Board.objects.get().pk))}


def test_a_changed_board_gets_its_settings_back() -> None:
    board = BoardFactory.create(maximum=1000)
    board.maximum, board.unit = 500, "metres"
    save_board(board)

    undo(only("board.changed").pk, WHY, clock.now(), AdminFactory.create())

    board.refresh_from_db()
    assert board.maximum == 1000
    assert board.unit == "points"
    told = AuditEntry.objects.latest("pk")
    assert (told.act, told.reason, told.by_name, told.after["unit"]) == ("board.changed", WHY, "admin", "points")
    undo(told.pk, "No mistake.", clock.now(), None)  # an undo is an act like any other
    assert Board.objects.get().maximum == 500


def test_a_board_that_was_changed_again_is_not_overruled() -> None:
    board = BoardFactory.create()
    board.unit = "metres"
    save_board(board)
    entry = only("board.changed")
    board.unit = "seconds"
    save_board(board)

    with pytest.raises(NotUndoable, match="changed again"):
        undo(entry.pk, WHY, clock.now(), None)

    assert Board.objects.get().unit == "seconds"


def test_an_undo_breaks_no_rule_of_boards() -> None:
    board = BoardFactory.create(name="One")
    board.name = "Two"
    save_board(board)
    BoardFactory.create(name="One")

    with pytest.raises(BadBoard):
        undo(only("board.changed").pk, WHY, clock.now(), None)

    assert Board.objects.get(pk=board.pk).name == "Two"


def test_retiring_is_in_the_log_once() -> None:
    board = BoardFactory.create()

    retire(board, clock.now())
    retire(board, clock.now())

    assert subjects(only("board.retired")) == {("board", str(board.pk))}


def test_a_ban_is_undone_and_an_end_of_it_too() -> None:
    ann, bob = (PlayerFactory.create(external_id=name) for name in ("ann", "bob"))
    judge = AdminFactory.create()
    ban([ann.pk, bob.pk], "A ring.", clock.now(), judge)
    entry = AuditEntry.objects.get(act="player.banned", subjects__key=str(ann.pk))

    told = undo(entry.pk, WHY, clock.now(), judge)

    assert (entry.reason, entry.by_name) == ("A ring.", "admin")
    assert (told.act, told.reason, told.undoes) == ("player.unbanned", WHY, entry)
    assert list(Player.objects.filter(banned_at=None)) == [ann]
    undo(told.pk, "A bot after all.", clock.now(), judge)
    assert not Player.objects.filter(banned_at=None).exists()


def test_a_ban_that_another_one_followed_stays() -> None:
    ann = PlayerFactory.create()
    ban([ann.pk], "A bot.", clock.now(), None)
    first = only("player.banned")
    unban([ann.pk], "A person.", clock.now(), None)
    ban([ann.pk], "A bot after all.", clock.now(), None)

    with pytest.raises(NotUndoable, match="does not stand"):
        undo(first.pk, WHY, clock.now(), None)

    assert Player.objects.get().banned_at is not None


def test_a_profile_by_a_key_is_in_the_log_where_it_changes_and_given_back() -> None:
    game = with_key("players:write", name="shop")
    for name in ("Ann", "Cheat", "Cheat"):
        game.send("PUT", "/players/ann", {"name": name})

    entry = AuditEntry.objects.filter(act="player.changed").latest("pk")
    assert AuditEntry.objects.filter(act="player.changed").count() == 2
    assert (entry.key_name, entry.before, entry.after) == ("shop", {"name": "Ann"}, {"name": "Cheat"})
    undo(entry.pk, "Somebody else's name.", clock.now(), None)
    assert Player.objects.get().name == "Ann"
    assert AuditEntry.objects.latest("pk").reason == "Somebody else's name."


def test_a_voided_score_is_undone_and_a_restored_one_too() -> None:
    row, judge = scored(), AdminFactory.create()
    void_by_hand(row, "A bot.", clock.now(), judge)
    voided = only("score.voided")

    restored = undo(voided.pk, WHY, clock.now(), judge)

    assert voided.reason == "A bot."
    assert {kind for kind, _ in subjects(voided)} == {"submission", "player", "board"}
    assert (restored.act, restored.undoes) == ("score.restored", voided)
    assert Submission.objects.get().voided_at is None
    undo(restored.pk, "A bot after all.", clock.now(), judge)
    assert Submission.objects.get().voided_at is not None


def test_voiding_twice_is_one_entry_and_what_counts_again_is_not_undone() -> None:
    row = scored()
    assert void_by_hand(row, "A bot.", clock.now(), None)
    assert not void_by_hand(row, "A bot.", clock.now(), None)
    entry = only("score.voided")
    unvoid_by_hand(row, "A person.", clock.now(), None)

    with pytest.raises(NotUndoable, match="does not stand"):
        undo(entry.pk, WHY, clock.now(), None)


def test_in_a_closed_period_nothing_is_undone() -> None:
    row = scored()
    void_by_hand(row, "A bot.", clock.now(), None)
    Period.objects.filter(pk=row.period_id).update(state="final")

    with pytest.raises(PeriodClosed):
        undo(only("score.voided").pk, WHY, clock.now(), None)

    assert AuditEntry.objects.filter(undoes__isnull=False).count() == 0
    assert Submission.objects.get().voided_at is not None


def test_taking_a_player_out_is_in_the_log_of_both() -> None:
    row = scored()

    remove_player(row.board, "alice", clock.now())

    assert subjects(only("player.removed")) == {("board", str(row.board_id)), ("player", str(row.player_id))}


def test_an_erasure_leaves_what_was_done_and_when_and_nothing_that_names_them() -> None:
    user = UserFactory.create(username="ann@example.org")
    code, _ = make_code("ann", clock.now())
    redeem(code, user, clock.now())
    set_profile("ann", {"name": "Ann Lee"}, clock.now())
    ann = Player.objects.get()
    ban([ann.pk], "Ann Lee cheats.", clock.now(), AdminFactory.create())

    erase_player("ann", clock.now())

    entries = AuditEntry.objects.filter(subjects__kind="player", subjects__key=str(ann.pk)).order_by("pk")
    assert [entry.act for entry in entries] == ["player.linked", "player.changed", "player.banned", "player.erased"]
    for entry in entries:
        assert (entry.reason, entry.before, entry.after, entry.note) == ("", {}, {}, {})
    assert [entry.by_name for entry in entries] == ["", "", "admin", ""]
    assert not entries[0].subjects.filter(kind="account").exists()
    with pytest.raises(UnknownPlayer):
        undo(only("player.changed").pk, WHY, clock.now(), None)


def test_an_import_is_one_entry_and_its_scores_are_none(tmp_path: Path) -> None:
    board, file = make_board("sql", clock.now()), tmp_path / "past.csv"
    file.write_text("who,points\nann,1\nbob,2\n")

    run("import_scores", file, "--board", board.seq, "--player", "who", "--points", "points")

    entry = only("scores.imported")
    assert (entry.note["command"], entry.note["file"], entry.note["rows"]) == ("import_scores", "past.csv", 2)
    assert set(AuditEntry.objects.values_list("act", flat=True)) == {"board.made", "scores.imported"}


@pytest.mark.django_db(transaction=True)
def test_two_who_press_undo_at_once_undo_once() -> None:
    ann = PlayerFactory.create()
    ban([ann.pk], "A bot.", clock.now(), None)
    entry, together = AuditEntry.objects.get(), Barrier(2)
    said: list[str] = []

    def press() -> None:
        together.wait()
        try:
            said.append(undo(entry.pk, "A person.", clock.now(), None).act)
        except NotUndoable:
            said.append("refused")
        finally:
            connection.close()

    threads = [Thread(target=press) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(said) == ["player.unbanned", "refused"]
    assert BanRecord.objects.filter(kind="lifted").count() == 1
    assert AuditEntry.objects.filter(undoes=entry).count() == 1


def test_every_subject_names_a_model_whose_permission_guards_its_entries() -> None:
    assert all(apps.get_model(each.model) for each in all_subjects().values())
    assert {"purge", "import", "player"} <= all_subjects().keys()

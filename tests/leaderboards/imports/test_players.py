"""Players of a file: profiles as the API takes them, set back where nobody has changed them since."""

from datetime import timedelta
from unittest.mock import Mock, patch

import pytest
from django.db import connection

from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.import_errors import BadTable
from leaderboards.models import ImportedPlayer, Player
from leaderboards.models.imports import Phase
from leaderboards.services.imports import actions, chunk_results, players, worker
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.profiles import set_profile
from leaderboards.services.submit.pipeline import submit
from likes.models import LikeChange
from tests.leaderboards.factories import BoardFactory, UserFactory
from tests.leaderboards.imports.files import AT, confirmed, fresh, moved, sent, undone
from tests.locked import locked, only_postgresql

pytestmark = pytest.mark.django_db(transaction=True)


def named() -> dict[str, str]:
    return dict(Player.objects.values_list("external_id", "name"))


def test_players_are_made_and_changed_and_only_what_the_file_names() -> None:
    set_profile("alice", {"name": "Alice", "country": "KR"}, AT)
    set_profile("bob", {"name": "Bob"}, AT)

    run = sent("players", "player,name\nalice,Al\nbob,Bob\ncarol,Carol\nd/d,Dave\neve,E\u202eve\n")
    assert (run.report["statuses"], run.refused) == ({"changed": 1, "same": 1, "new": 1, "rejected": 2}, 2)
    assert named() == {"alice": "Alice", "bob": "Bob"}
    run = confirmed(run)

    assert run.report["statuses"] == {"changed": 1, "same": 1, "new": 1, "rejected": 2}
    assert named() == {"alice": "Al", "bob": "Bob", "carol": "Carol"}
    assert Player.objects.get(external_id="alice").country == "KR"


def test_undoing_sets_back_what_nobody_changed_and_removes_whom_nothing_refers_to() -> None:
    for name in ("alice", "bob"):
        set_profile(name, {"name": name.title()}, AT)
    run = confirmed(sent("players", "player,name\nalice,A\nbob,B\nnew,N\nplays,P\nlinked,L\nalice,AA\n"))
    set_profile("bob", {"name": "Bobby"}, AT)
    UserFactory.create(player="linked")
    board = BoardFactory.create(storage="sql", at=AT)
    submit([read_entry({"board": board.seq, "player": "plays", "points": 1}, 0)], Caller("test"), AT)

    run = undone(run)

    assert (run.phase, run.undone, run.left) == (Phase.UNDONE, 2, 3)
    assert named() == {"alice": "Alice", "bob": "Bobby", "plays": "P", "linked": "L"}


def test_rows_of_other_apps_that_show_no_way_back_keep_a_player() -> None:
    run = confirmed(sent("players", "player\nalice\n"))
    alice = Player.objects.get()
    assert not players.is_referenced(alice)

    LikeChange.objects.create(kind="thing", thing="1", player=alice, amount=1, delta=1, at=AT)

    assert players.is_referenced(alice)
    assert (undone(run).left, Player.objects.count()) == (1, 1)


def test_a_chunk_that_is_cut_off_leaves_nothing_and_is_done_again() -> None:
    run = sent("players", "player,name\nalice,A\nbob,B\n")
    actions.confirm(run.pk, AT, None)

    with patch.object(chunk_results, "failpoint", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        worker.advance_due(AT, 0)
    assert (named(), fresh(run).applied) == ({}, 0)

    assert moved(run).report["statuses"] == {"new": 2}
    assert named() == {"alice": "A", "bob": "B"}


def test_an_undo_that_is_cut_off_goes_on_where_it_was() -> None:
    run = confirmed(sent("players", "player,name\nalice,A\nbob,B\n"))
    actions.undo(run.pk, "Wrong.", AT, None)

    with patch.object(worker, "failpoint", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        worker.advance_due(AT, 0)
    assert (len(named()), fresh(run).undone) == (2, 0)

    assert moved(run).undone == 2
    assert named() == {}


def test_an_erasure_takes_what_the_import_knew_of_a_player() -> None:
    set_profile("alice", {"name": "Alice"}, AT)
    run = confirmed(sent("players", "player,name\nalice,Al\n"))

    erase_player("alice", AT)

    assert not ImportedPlayer.objects.exists()
    assert undone(run).undone == 0
    assert [*named().values()] == [""]


def test_a_column_that_players_do_not_have_is_refused() -> None:
    with pytest.raises(BadTable, match="the column 'colour'"):
        sent("players", "player,colour\nalice,red\n")


def test_many_players_are_undone_in_turns() -> None:
    text = "player\n" + "".join(f"p{nth}\n" for nth in range(players.PLAYERS_PER_STEP + 5))
    run = confirmed(sent("players", text))
    actions.undo(run.pk, "Wrong.", AT, None)

    worker.advance_due(AT, 0)

    assert fresh(run).undone == players.PLAYERS_PER_STEP
    assert moved(run, AT + timedelta(seconds=1)).undone == players.PLAYERS_PER_STEP + 5
    assert connection.in_atomic_block is False
    assert not Player.objects.exists()


@only_postgresql
@pytest.mark.parametrize("undoing", [False, True])
def test_the_players_of_a_turn_are_held_by_number_before_the_first_is_changed(undoing: bool) -> None:
    for name in ("alice", "bob"):
        set_profile(name, {"name": name.title()}, AT)
    run = sent("players", "player,name\nbob,B\nalice,A\n" if not undoing else "player,name\nalice,A\nbob,B\n")
    if undoing:
        run = confirmed(run)
        actions.undo(run.pk, "Wrong.", AT, None)
    else:
        actions.confirm(run.pk, AT, None)
    before, changed = named(), Mock(wraps=set_profile)

    with patch.object(players, "set_profile", changed), locked(Player.objects.filter(external_id="alice")):
        worker.advance_due(AT, 0)  # it waits, and gives up for this turn

    assert not changed.called  # bob comes first, and waits for alice too
    assert named() == before

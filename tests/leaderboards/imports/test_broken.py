"""Files and errors that would keep a run going for ever: it ends, and says why."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils.html import escape
from django.utils.translation import override

from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo as undo_entry
from leaderboards.admin.imports.run_text import run_context
from leaderboards.core.input.csv_table import LONGEST_COLUMN, MOST_COLUMNS
from leaderboards.errors import BadBoard
from leaderboards.import_errors import BadTable, ImportNotReady, ImportNotUndoable
from leaderboards.models import Board, ImportKind, ImportRun
from leaderboards.models.imports import Phase
from leaderboards.services.board_files import apply_boards
from leaderboards.services.imports import actions, boards, players, scores, worker
from leaderboards.services.imports.finish import MOST_FAILURES
from leaderboards.services.imports.upload import Upload, upload
from leaderboards.services.imports.worker import advance_due
from tests.leaderboards.factories import BoardFactory, UserFactory
from tests.leaderboards.imports.files import AT, boards_file, fresh, moved, sent

pytestmark = pytest.mark.django_db(transaction=True)

HALF = "\ud800"
POINTS: dict[str, Any] = {"player": "player", "points": "points"}


@pytest.fixture
def admin() -> Iterator[Client]:
    """A superuser's browser, on the day of the files."""
    client = Client()
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    with clock.freeze_at(AT):
        yield client


def failing(*_: object) -> Any:
    raise ValueError("nobody foresaw this")


def tried(run: ImportRun, times: int = MOST_FAILURES) -> ImportRun:
    """The run after so many turns; all but the one that stops it tell the schedule what failed."""
    for _ in range(times - 1):
        with pytest.raises(ExceptionGroup):
            advance_due(AT, 0)
    return moved(run)


@pytest.mark.parametrize(
    "settings", [{"name": "zz" + HALF}, {"name": "Z", "unit": HALF}, {"name": "Z", "criteria": [{"name": HALF}]}]
)
def test_half_a_character_in_a_board_is_refused_and_the_run_ends(settings: dict[str, Any]) -> None:
    run = sent("boards", boards_file(settings, {"name": "Good"}))

    assert (run.phase, run.refused, run.report["statuses"]["rejected"]) == (Phase.READY, 1, 1)
    assert "cannot be shown" in run.report["errors"][0][2]
    with pytest.raises(BadBoard, match="cannot be shown"):
        apply_boards([settings], AT)
    assert not Board.objects.exists()


def test_a_judging_that_always_fails_is_stopped_with_a_reference(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(boards, "evaluate", failing)
    run = upload(Upload(ImportKind.BOARDS, "file.json", boards_file({"name": "A"}).encode()), AT)

    with caplog.at_level(logging.ERROR):
        run = tried(run)

    reference = run.stopped.rpartition(": ")[2].strip(".")
    told = [each for each in caplog.records if each.exc_info]
    assert run.phase is Phase.READY
    assert [reference in each.getMessage() for each in told] == [True]
    lines = run_context(run, AT)
    assert (lines["state"], lines["can_confirm"], lines["boards"]) == ("could not be checked", False, [])
    with pytest.raises(ImportNotReady, match="could not be checked"):
        actions.confirm(run.pk, AT, None)
    assert advance_due(AT, 0) == 0


def test_an_applying_that_always_fails_ends_and_keeps_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    run = sent("players", "player,name\nrobin,Robin\n")
    monkeypatch.setattr(players, "apply", failing)
    actions.confirm(run.pk, AT, None)

    run = tried(run)

    assert (run.phase, run.applied, bytes(run.chunks.get().content)) == (Phase.DONE, 0, b"")
    assert "unexpected error" in run.stopped


@pytest.mark.parametrize(
    ("kind", "text", "module"),
    [
        ("boards", boards_file({"name": "A"}), boards),
        ("players", "player,name\nrobin,Robin\n", players),
        ("scores", "player,points\nrobin,5\n", scores),
    ],
)
def test_a_run_that_was_stopped_before_it_did_anything_says_so_and_is_not_undone(
    kind: str, text: str, module: Any, admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    more: dict[str, Any] = {"board": BoardFactory.create(), **POINTS} if kind == "scores" else {}
    run = sent(kind, text, **more)
    with monkeypatch.context() as broken:
        broken.setattr(module, "apply", failing)
        actions.confirm(run.pk, AT, None)
        run = tried(run)

    page = admin.get(f"/admin/leaderboards/importrun/{run.pk}/change/").content.decode()
    assert "<strong>stopped, nothing was imported</strong>" in page
    assert "It changed nothing: there is nothing to undo." in page
    assert 'name="undo"' not in page
    assert "stopped, nothing was imported" in admin.get("/admin/leaderboards/importrun/").content.decode()
    with pytest.raises(ImportNotUndoable, match="nothing to undo"):
        actions.undo(run.pk, "Wrong.", AT, None)
    with pytest.raises(ImportNotUndoable, match="nothing to undo"):
        undo_entry(AuditEntry.objects.get(act=actions.CONFIRMED).pk, "Wrong.", AT, None)
    again = moved(actions.confirm(sent(kind, text, **more).pk, AT + timedelta(seconds=1), None))
    assert (again.applied, actions.why_not_undoable(again)) == (1, "")


def test_scores_that_were_sent_and_not_written_down_are_something(monkeypatch: pytest.MonkeyPatch) -> None:
    run = sent("scores", "player,points\nrobin,5\n", board=BoardFactory.create(), **POINTS)
    monkeypatch.setattr(worker, "record_applied", failing)
    actions.confirm(run.pk, AT, None)

    run = tried(run)

    assert (run_context(run, AT)["state"], actions.had_no_effect(run)) == ("stopped on the way", False)


def test_a_file_that_is_refused_as_a_whole_waits_for_no_yes_and_says_why_once(admin: Client) -> None:
    run = sent("boards", boards_file({"name": "A", "period": "fortnight"}))

    page = admin.get(f"/admin/leaderboards/importrun/{run.pk}/change/").content.decode()

    why = escape(run.report["errors"][0][2])
    assert "<strong>refused: nothing of it can be imported</strong>" in page
    assert page.count(why) == 1
    assert "waits for your confirmation" not in admin.get("/admin/leaderboards/importrun/").content.decode()


def test_refusals_of_an_import_are_korean_too() -> None:
    settings = sent("boards", boards_file({"name": "A", "foo": 1}))
    columns = {"player": "player", "points": "points", "at": "when", "id": ""}
    table = b"player,points,when\nrobin,5,2030-01-01T00:00:00Z\n"
    future = moved(upload(Upload(ImportKind.SCORES, "a.csv", table, None, BoardFactory.create(), columns), AT))

    with override("ko"):
        told = [run_context(run, AT)["errors"][0][2] for run in (settings, future)]

    assert told[0].startswith("A: 'foo' 설정은 없습니다. 쓸 수 있는 설정: name, ")
    assert told[1].startswith("`at`이 미래 시각입니다.")


def test_limits_that_a_new_board_does_not_have_are_dashes() -> None:
    [board] = run_context(sent("boards", boards_file({"name": "A"})), AT)["boards"]

    assert {row.new for row in board["rows"]} >= {"-"}
    assert "None" not in {row.new for row in board["rows"]}


def test_an_undo_that_always_fails_stops_and_can_be_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    run = sent("players", "player,name\nrobin,Robin\n")
    actions.confirm(run.pk, AT, None)
    run = moved(run)
    with monkeypatch.context() as broken:
        broken.setattr(players, "undo", failing)
        actions.undo(run.pk, "Wrong.", AT, None)
        run = tried(run)
    assert (run.phase, run.undone) == (Phase.DONE, 0)

    actions.undo(run.pk, "Wrong.", AT, None)

    run = moved(run)
    assert (run.phase, run.undone) == (Phase.UNDONE, 1)


def test_a_database_that_is_away_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> Any:
        raise OperationalError("gone")

    run = upload(Upload(ImportKind.BOARDS, "file.json", boards_file({"name": "A"}).encode()), AT)
    with monkeypatch.context() as broken:
        broken.setattr(boards, "evaluate", away)
        for _ in range(MOST_FAILURES + 1):
            with pytest.raises(OperationalError):
                advance_due(AT, 0)

    assert fresh(run).phase is Phase.CHECKING
    assert moved(run).phase is Phase.READY


@pytest.mark.parametrize("kind", ["players", "scores"])
@pytest.mark.parametrize(
    "header", [",".join(f"c{nth}" for nth in range(MOST_COLUMNS + 1)), "player," + "x" * (LONGEST_COLUMN + 1)]
)
def test_a_file_of_too_many_or_too_long_columns_is_refused_before_its_columns_are_told(kind: str, header: str) -> None:
    with pytest.raises(BadTable, match="at most 100") as refused:
        sent(kind, f"{header}\n1\n")

    assert len(refused.value.detail) < 200

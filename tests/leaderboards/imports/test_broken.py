"""Files and errors that would keep a run going for ever: it ends, and says why."""

import logging
from typing import Any

import pytest
from django.db import OperationalError

from leaderboards.admin.import_lines import run_lines
from leaderboards.core.tables import LONGEST_COLUMN, MOST_COLUMNS
from leaderboards.errors import BadBoard, BadTable, ImportNotReady
from leaderboards.models import Board, ImportKind, ImportRun
from leaderboards.models.imports import Phase
from leaderboards.services.boards import apply_boards
from leaderboards.services.imports import acts, boards, players
from leaderboards.services.imports.ends import MOST_FAILURES
from leaderboards.services.imports.turns import advance_due
from leaderboards.services.imports.upload import Upload, upload
from tests.leaderboards.imports.files import AT, boards_file, fresh, moved, sent

pytestmark = pytest.mark.django_db(transaction=True)

HALF = "\ud800"


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
    monkeypatch.setattr(boards, "judge", failing)
    run = upload(Upload(ImportKind.BOARDS, "file.json", boards_file({"name": "A"}).encode()), AT)

    with caplog.at_level(logging.ERROR):
        run = tried(run)

    reference = run.stopped.rpartition(": ")[2].strip(".")
    told = [each for each in caplog.records if each.exc_info]
    assert run.phase is Phase.READY
    assert [reference in each.getMessage() for each in told] == [True]
    lines = run_lines(run, AT)
    assert (lines["state"], lines["can_confirm"], lines["boards"]) == ("could not be judged", False, [])
    with pytest.raises(ImportNotReady, match="could not be judged"):
        acts.confirm(run.pk, AT, None)
    assert advance_due(AT, 0) == 0


def test_an_applying_that_always_fails_ends_and_keeps_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    run = sent("players", "player,name\nrobin,Robin\n")
    monkeypatch.setattr(players, "apply", failing)
    acts.confirm(run.pk, AT, None)

    run = tried(run)

    assert (run.phase, run.applied, bytes(run.chunks.get().content)) == (Phase.DONE, 0, b"")
    assert "nobody foresaw" in run.stopped


def test_an_undo_that_always_fails_stops_and_can_be_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    run = sent("players", "player,name\nrobin,Robin\n")
    acts.confirm(run.pk, AT, None)
    run = moved(run)
    with monkeypatch.context() as broken:
        broken.setattr(players, "undo", failing)
        acts.undo(run.pk, "Wrong.", AT, None)
        run = tried(run)
    assert (run.phase, run.undone) == (Phase.DONE, 0)

    acts.undo(run.pk, "Wrong.", AT, None)

    run = moved(run)
    assert (run.phase, run.undone) == (Phase.UNDONE, 1)


def test_a_database_that_is_away_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> Any:
        raise OperationalError("gone")

    run = upload(Upload(ImportKind.BOARDS, "file.json", boards_file({"name": "A"}).encode()), AT)
    with monkeypatch.context() as broken:
        broken.setattr(boards, "judge", away)
        for _ in range(MOST_FAILURES + 1):
            with pytest.raises(OperationalError):
                advance_due(AT, 0)

    assert fresh(run).phase is Phase.JUDGING
    assert moved(run).phase is Phase.READY


@pytest.mark.parametrize("kind", ["players", "scores"])
@pytest.mark.parametrize(
    "header", [",".join(f"c{nth}" for nth in range(MOST_COLUMNS + 1)), "player," + "x" * (LONGEST_COLUMN + 1)]
)
def test_a_file_of_too_many_or_too_long_columns_is_refused_before_its_columns_are_told(kind: str, header: str) -> None:
    with pytest.raises(BadTable, match="at most 100") as refused:
        sent(kind, f"{header}\n1\n")

    assert len(refused.value.detail) < 200

"""export_everything: the folder has every board, player, period, result and row, and says what it has."""

import csv
import errno
import hashlib
import json
import os
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from competitions.models import Competition
from competitions.services.lifecycle.finish import finish
from competitions.services.results.revisions import publish_due_revisions
from foundation import clock
from foundation.models import AuditEntry
from leaderboards.models import Board
from tests.competitions.factories import CompetitionFactory
from tests.competitions.site import DAY, HOUR, START, open_competition, raced
from tests.leaderboards.commands.calls import run
from tests.leaderboards.services.restricting import keep_out
from tests.playing import make_board, name, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def rows(file: Path) -> list[list[str]]:
    return [*csv.reader(file.read_text("utf-8").splitlines())]


def table(folder: Path, name_: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "tables" / f"{name_}.jsonl").read_text("utf-8").splitlines()]


def test_everything_is_in_the_folder_and_its_manifest(tmp_path: Path) -> None:
    wins = make_board(name="Wins", storage="hybrid", decimals=1)
    live = make_board(name="Live", storage="redis", period="all_time")
    score(wins, {"=ann": "1.5", "김": 2, "hidden": 9})
    score(live, {"ann": 3})
    name("=ann", "Ann, the first")
    keep_out("hidden", Board.objects.get(seq=wins), "hidden")
    over = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
    raced(over, {"ann": 5}, START)
    Competition.objects.filter(pk=over.pk).update(joining="code", join_code="SECRET-7")
    finish(over, clock.now())
    publish_due_revisions(clock.now())
    folder = tmp_path / "out"

    printed = run("export_everything", folder).json

    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    files = {each["path"]: each for each in manifest["files"]}
    assert printed == {"as_of": manifest["as_of"], "files": len(files), "rows": sum(x["rows"] for x in files.values())}
    assert {str(each.relative_to(folder)) for each in folder.rglob("*.*")} == {*files, "manifest.json"}
    assert all(hashlib.sha256((folder / path).read_bytes()).hexdigest() == x["sha256"] for path, x in files.items())
    boards = json.loads((folder / "boards.json").read_text("utf-8"))["boards"]
    assert {"Wins", "Live"} <= {each["name"] for each in boards}
    assert ["=ann", "Ann, the first", "", ""] in rows(folder / "players.csv")
    [period] = [path for path in files if path.startswith(f"standings/{wins}-") and files[path]["rows"]]
    label = Path(period).stem.partition("-")[2]
    printed_alone = run("export_standings", "--board", wins, "--period", label, "--raw", "--metadata").out
    assert (folder / period).read_text("utf-8") == printed_alone
    assert [row[:4] for row in rows(folder / period)] == [
        ["rank", "player", "name", "points"],
        ["1", "김", "김", "2"],
        ["2", "=ann", "Ann, the first", "1.5"],
    ]
    assert rows(folder / f"standings/{live}-all.csv")[1][:4] == ["1", "ann", "ann", "3"]
    assert len(table(folder, "leaderboards_standing")) == files["tables/leaderboards_standing.jsonl"]["rows"] == 5
    assert {row["points"] for row in table(folder, "leaderboards_submission")} >= {15, 20, 90, 5}
    assert "SECRET-7" not in "".join(each.read_text("utf-8") for each in folder.rglob("*.jsonl"))
    assert AuditEntry.objects.filter(act="everything.exported").count() == 1
    if results := [path for path in files if path.startswith("results/")]:
        document = json.loads((folder / results[0]).read_text("utf-8"))
        assert document["competition"]["id"] == over.pk


def test_what_it_wrote_makes_the_same_boards_elsewhere(tmp_path: Path) -> None:
    make_board(name="Wins", period="month", decimals=2, maximum="10.5")
    CompetitionFactory.create()
    run("export_everything", tmp_path / "out")
    Competition.objects.all().delete()
    Board.objects.filter(name="Wins").update(name="Old")

    run("apply_boards", tmp_path / "out" / "boards.json")

    made = Board.objects.get(name="Wins")
    assert (made.period, made.decimals, str(made.maximum.normalize())) == ("month", 2, "10.5")


def test_a_folder_that_has_files_and_one_that_cannot_be_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x", encoding="utf-8")

    with pytest.raises(CommandError, match="not empty"):
        run("export_everything", tmp_path)
    with pytest.raises(CommandError, match="not empty"):
        run("export_everything", tmp_path / "mine.txt")
    with pytest.raises(CommandError, match="can not be written"):
        run("export_everything", tmp_path / "mine.txt" / "below")
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def test_a_disk_that_fills_at_the_manifest_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(file: Path, *_args: object, **_options: object) -> int:
        file.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", fill)

    with pytest.raises(CommandError, match=r"No space left on device\. The folder has no manifest and is not whole"):
        run("export_everything", tmp_path / "out")

    assert not (tmp_path / "out" / "manifest.json").exists()

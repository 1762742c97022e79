"""The sums of processes that ended: right while they are read beside a step, bounded, and in nobody's way."""

import fcntl
import os
import signal
import time
from pathlib import Path

import pytest
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from pytest_django import Settings

from foundation.monitoring import counts, ended, metric_files, snapshot, sums
from foundation.monitoring.count_files import CountFile, Key, to_text
from tests.foundation.monitoring.test_folder_of_counts import KEY, leave, told

READS = {"before a file is read": (snapshot, "read"), "before the sums are read": (sums, "are_moving")}


@pytest.fixture
def processes(tmp_path: Path) -> Path:
    folder = tmp_path / ended.PROCESSES
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def _adds_up_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_files, "_last", [time.monotonic()])
    monkeypatch.setattr(snapshot, "PAUSE_SECONDS", 0)


def leave_of_before(folder: Path, number: int, value: float) -> None:
    """The file of a process of the release before, in another container."""
    (folder / "a-container").mkdir(exist_ok=True)
    counted = MmapedDict(str(folder / f"a-container/counter_{number}.db"))  # type: ignore[no-untyped-call]  # it has no types
    counted.write_value(mmap_key("told", "told_total", ["of"], ["a"], "Told."), value, 0)  # type: ignore[no-untyped-call]  # the library has no types
    counted.close()  # type: ignore[no-untyped-call]  # the library has no types


def board(nth: int) -> str:
    return to_text(Key("told", "told_total", (("board", str(nth)),), "Told."))


def boards_told(folder: Path) -> dict[int, float]:
    samples = [sample for family in metric_files.merged_counts(str(folder)) for sample in family.samples]
    return {int(sample.labels["board"]): sample.value for sample in samples}


@pytest.mark.parametrize("kept", [1, 1_000])
@pytest.mark.parametrize("steps", [1, 5], ids=["one step", "all"])
@pytest.mark.parametrize("moment", READS.values(), ids=READS)
def test_what_is_added_up_while_it_is_read_is_told_once(
    moment: tuple[object, str],
    steps: int,
    kept: int,
    tmp_path: Path,
    processes: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sums, "KEPT_NAMES", kept)
    running = CountFile(processes, "counter")
    running.append(KEY, 100)
    for nth in range(4):
        leave(processes, "counter", KEY, 1)
        leave_of_before(tmp_path, 2**22 + nth, 10)
    left, was = [steps, steps, steps], getattr(*moment)

    def add_up_first(*args: object) -> object:
        for _ in range(left.pop() if left else 0):
            ended.add_up(tmp_path, 1)
        return was(*args)

    monkeypatch.setattr(*moment, add_up_first)

    assert [told(tmp_path)["told_total"] for _ in range(3)] == [144] * 3
    running.close()


def test_a_name_that_the_release_before_uses_again_is_told_again(tmp_path: Path) -> None:
    leave_of_before(tmp_path, 7, 1)
    ended.add_up(tmp_path)
    leave_of_before(tmp_path, 7, 2)

    assert told(tmp_path) == {"told_total": 3}
    ended.add_up(tmp_path)
    assert told(tmp_path) == {"told_total": 3}


def test_nobody_waits_for_a_process_that_adds_up(
    tmp_path: Path, processes: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.METRICS_FOLDER = str(tmp_path)
    monkeypatch.setattr(counts, "share", lambda _: True)
    leave(processes, "counter", KEY, 1)
    another = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(another, fcntl.LOCK_EX)

    begun = time.monotonic()
    metric_files.serve()
    metric_files._last.clear()
    assert told(tmp_path) == {"told_total": 1}

    assert time.monotonic() - begun < 1.5
    os.close(another)


def test_a_start_adds_up_some_files_and_scrapes_the_rest(
    tmp_path: Path, processes: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.METRICS_FOLDER = str(tmp_path)
    monkeypatch.setattr(counts, "share", lambda _: True)
    monkeypatch.setattr(metric_files, "AT_START", 2)
    monkeypatch.setattr(metric_files, "AT_SCRAPE_SECONDS", 0.0)
    monkeypatch.setattr(ended, "STEP", 3)
    for _ in range(7):
        leave(processes, "counter", KEY, 1)

    def left() -> int:
        told(tmp_path)
        return len(list(processes.iterdir()))

    metric_files.serve()

    assert [len(list(processes.iterdir())), left(), left(), left()] == [5, 2, 0, 0]
    assert told(tmp_path) == {"told_total": 7}


def test_sums_keep_the_newest_series_and_those_that_a_running_process_tells(
    tmp_path: Path, processes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "MOST_SERIES", 4)
    running = CountFile(processes, "counter")
    running.append(board(0), 1)
    for first in range(8):
        for nth in (first, first + 1):
            leave(processes, "counter", board(nth), 10)
        ended.add_up(tmp_path)

    assert boards_told(tmp_path) == {0: 11, 6: 20, 7: 20, 8: 10}
    running.close()


def test_a_series_that_was_counted_lately_outlives_newer_ones(
    tmp_path: Path, processes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "MOST_SERIES", 2)
    for nth in (1, 2, 1, 3):
        leave(processes, "counter", board(nth), 10)
        ended.add_up(tmp_path)

    assert boards_told(tmp_path) == {1: 20, 3: 10}


def test_a_histogram_goes_as_a_whole(tmp_path: Path, processes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "MOST_SERIES", 1)
    for route in "ab":
        file = CountFile(processes, "histogram")
        file.append(to_text(Key("took", "took_sum", (("route", route),), "Took.")), 0.5)
        for bound in ("1.0", "+Inf"):
            file.append(to_text(Key("took", "took_bucket", (("le", bound), ("route", route)), "Took.")), 1)
        file.close()
        ended.add_up(tmp_path)

    [family] = metric_files.merged_counts(str(tmp_path))
    assert {sample.labels["route"] for sample in family.samples} == {"b"}
    assert len(family.samples) == 4


@pytest.mark.parametrize("is_whole", [True, False], ids=["the folder", "what is in it"])
def test_files_that_somebody_removes_are_made_anew_and_counters_begin_at_0(
    is_whole: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(counts, "_numbers", {})
    monkeypatch.setattr(counts, "_files", counts._Files())
    monkeypatch.setattr(counts, "LOOK_SECONDS", 0.0)
    folder = tmp_path / "metrics"
    counts.share(folder / ended.PROCESSES)
    first = counts.number_of("counter", Key("told", "told_total", (("of", "a"),), "Told."))
    counts.number_of("counter", Key("other", "other_total", (), "Other."))
    first.add(5)

    for file in folder.glob("*/*"):
        file.unlink()
    if is_whole:
        (folder / ended.PROCESSES).rmdir()
        folder.rmdir()
    first.add(2)

    assert told(folder) == {"told_total": 2, "other_total": 0}
    for file in folder.glob("*/*"):
        file.unlink()
    assert told(folder) == {"told_total": 0, "other_total": 0}  # who is asked looks too
    assert [each.getMessage().partition(" from ")[0] for each in caplog.records] == [
        "METRICS_FOLDER: files were removed"
    ] * 2
    counts._files.forget()


def test_a_child_that_is_forked_while_its_parent_adds_up_holds_nothing_up(
    tmp_path: Path, processes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(processes, "counter", KEY, 1)
    children, was = list[int](), sums.forget_moving

    def fork(folder: Path) -> None:
        if not (child := os.fork()):
            signal.pause()
        children.append(child)
        was(folder)

    with monkeypatch.context() as patched:
        patched.setattr(sums, "forget_moving", fork)
        ended.add_up(tmp_path)
    leave(processes, "counter", KEY, 1)
    ended.add_up(tmp_path)

    assert not list(processes.iterdir())
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

"""The folder of counts does not grow, tells each count once, and where it is full nothing ends."""

import errno
import logging
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector
from pytest_django import Settings

from foundation.monitoring import count_files, counts, ended, metric_files, snapshot, sums
from foundation.monitoring.count_files import CountFile, Key, to_text
from foundation.monitoring.counts import Number

KEY = to_text(Key("told", "told_total", (("of", "a"),), "Told."))
BUCKET = to_text(Key("took", "took_bucket", (("le", "1.0"),), "Took."))
ANOTHER = """
import sys, time
from pathlib import Path
from foundation.monitoring.count_files import CountFile
file = CountFile(Path(sys.argv[1]), "counter")
file.append(sys.argv[2], 5)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _adds_up_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_files, "EVERY_SECONDS", -1.0)


@pytest.fixture
def processes(tmp_path: Path) -> Path:
    folder = tmp_path / ended.PROCESSES
    folder.mkdir()
    return folder


def leave(folder: Path, kind: str, key: str, value: float) -> None:
    """The file of a process that has ended."""
    file = CountFile(folder, kind)
    file.append(key, value)
    file.close()


def told(folder: Path) -> dict[str, float]:
    """Each sample by its name."""
    return {
        sample.name: sample.value for family in metric_files.merged_counts(str(folder)) for sample in family.samples
    }


def test_files_of_ended_processes_become_one_of_each_kind_and_tell_the_same(tmp_path: Path, processes: Path) -> None:
    for nth in range(20):
        leave(processes, "counter", KEY, nth)
        leave(processes, "histogram", BUCKET, 1)
        leave(processes, "gauge_max", to_text(Key("until", "until", (), "Until.")), 9)

    assert told(tmp_path) == {"told_total": 190, "took_bucket": 20, "took_count": 20}
    assert sorted(each.name for each in tmp_path.glob("*/*")) == ["counter_ended.db", "histogram_ended.db"]
    leave(processes, "counter", KEY, 10)
    assert told(tmp_path) == told(tmp_path) == {"told_total": 200, "took_bucket": 20, "took_count": 20}


def test_a_process_that_runs_keeps_its_file_whatever_machine_it_is_on(tmp_path: Path, processes: Path) -> None:
    command = [sys.executable, "-c", ANOTHER, str(processes), KEY]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        own = CountFile(processes, "counter")
        place = own.append(KEY, 1)
        assert told(tmp_path)["told_total"] == 6
        own.write(place, 2)
        assert told(tmp_path)["told_total"] == 7
        assert len(list(processes.iterdir())) == 2
        other.kill()

    assert told(tmp_path)["told_total"] == 7
    own.close()
    assert told(tmp_path)["told_total"] == 7
    assert not list(processes.iterdir())


def test_what_the_release_before_left_is_added_up_and_its_folders_go(tmp_path: Path) -> None:
    machine = os.uname().nodename
    for folder, number, value in (("a-container", 7, 1), (machine, 2**22 + 1, 2), (machine, os.getpid(), 4)):
        (tmp_path / folder).mkdir(exist_ok=True)
        counted = MmapedDict(str(tmp_path / folder / f"counter_{number}.db"))  # type: ignore[no-untyped-call]  # it has no types
        counted.write_value(mmap_key("told", "told_total", ["of"], ["a"], "Told."), value, 0)  # type: ignore[no-untyped-call]  # the library has no types
        counted.close()  # type: ignore[no-untyped-call]  # the library has no types

    assert told(tmp_path)["told_total"] == 7
    assert not (tmp_path / "a-container").exists()
    assert [each.name for each in (tmp_path / machine).iterdir()] == [f"counter_{os.getpid()}.db"]  # it runs
    merged = MultiProcessCollector.merge([str(file) for file in tmp_path.glob("*/*.db")])  # type: ignore[no-untyped-call]  # the library has no types
    assert [sample.value for family in merged for sample in family.samples] == [7]  # the release before reads it too


class Killed(BaseException):
    """A process ends here."""


@pytest.mark.parametrize("step", ["before the sum", "before the removal", "in the removal"])
def test_a_process_that_is_killed_while_it_adds_up_changes_no_count(
    step: str, tmp_path: Path, processes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(processes, "counter", KEY, 4)
    ended.add_up(tmp_path)
    for value in (1, 2, 3):
        leave(processes, "counter", KEY, value)

    def die(*_: object) -> None:
        raise Killed

    def die_removing(files: Iterable[Path]) -> None:
        left = [file for file in files if file.exists()]
        if left and step == "in the removal":
            left[0].unlink()
        if left:
            raise Killed

    with monkeypatch.context() as patched:
        if step == "before the sum":
            patched.setattr(sums, "write_sum", die)
        else:
            patched.setattr(ended, "_remove", die_removing)
        with pytest.raises(Killed):
            ended.add_up(tmp_path)

    assert sum(value for _, _, value in snapshot.numbers_of(tmp_path)) == 10
    assert told(tmp_path) == {"told_total": 10}
    assert told(tmp_path) == {"told_total": 10}


def test_in_a_full_folder_what_ended_makes_room_for_its_sum(
    tmp_path: Path, processes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in (1, 2, 3):
        leave(processes, "counter", KEY, value)
    monkeypatch.setattr(snapshot, "PAUSE_SECONDS", 0)
    write, refused = count_files.write_whole, list[bool]()

    def write_if_there_is_room(file: Path, numbers: dict[str, float], behind: bytes) -> None:
        if list(processes.iterdir()):
            raise OSError(errno.ENOSPC, "No space left on device")
        with pytest.raises(snapshot.CountsMove):
            snapshot.numbers_of(tmp_path)
        refused.append(True)
        write(file, numbers, behind)

    monkeypatch.setattr(sums, "write_whole", write_if_there_is_room)

    assert told(tmp_path) == {"told_total": 6}
    assert not list(processes.iterdir())
    assert refused == [True]


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Numbers and files of this test's own."""
    monkeypatch.setattr(counts, "_numbers", {})
    monkeypatch.setattr(counts, "_files", counts._Files())
    monkeypatch.setattr(counts, "_files_told", [])
    yield
    counts._files.forget()


def test_a_process_that_finds_no_room_counts_on_says_so_once_and_makes_up_for_it(
    files: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, settings: Settings
) -> None:
    settings.METRICS_FOLDER = str(tmp_path)
    is_full, pwrite = True, os.pwrite

    def write(file: int, content: bytes, place: int) -> int:
        if is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return pwrite(file, content, place)

    monkeypatch.setattr(os, "pwrite", write)
    number = counts.number_of("counter", count_files.to_key(KEY))
    with caplog.at_level(logging.ERROR):
        counts.share(tmp_path / ended.PROCESSES)
        number.add(1)
        number.add(1)

    assert len(caplog.records) == 1
    assert "takes no counts (No space left on device)" in caplog.text
    assert "takes no counts (No space left on device); make room there" in metric_files.describe_folder()[0]
    assert told(tmp_path) == {}
    is_full = False
    monkeypatch.setattr(counts, "RETRY_SECONDS", 0.0)
    counts._files._retry_at = 0.0
    number.add(1)
    assert told(tmp_path) == {"told_total": 3}
    assert metric_files.describe_folder() == []


def test_a_file_that_cannot_grow_keeps_what_it_has(
    files: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of(nth: int) -> Number:
        return counts.number_of("counter", Key("told", "told_total", (("of", f"{nth}" * 1_000),), "Told."))

    counts.share(tmp_path / ended.PROCESSES)
    first = of(0)

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", refuse)
    for number in map(of, range(100)):
        number.add(1)
    first.add(1)

    family, *_ = metric_files.merged_counts(str(tmp_path))
    assert 10 < len(family.samples) < 50
    assert max(sample.value for sample in family.samples) == 2


def test_the_doctor_tells_of_a_folder_that_is_nearly_full(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.METRICS_FOLDER = str(tmp_path)
    assert metric_files.describe_folder() == []

    monkeypatch.setattr(metric_files, "LEAST_BYTES", 1 << 62)

    [said] = metric_files.describe_folder()
    assert "bytes are left" in said


def test_a_full_disk_ends_no_start_and_a_folder_that_is_not_ours_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert metric_files.open_folder(str(tmp_path / "full")) == str(tmp_path / "full")
    monkeypatch.undo()

    (tmp_path / "file").write_text("")
    with pytest.raises(ImproperlyConfigured, match=r"METRICS_FOLDER: .*file cannot be made"):
        metric_files.open_folder(str(tmp_path / "file"))

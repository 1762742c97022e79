"""The progress bar: for people who watch, and for nobody else."""

from io import StringIO

from leaderboards.management.progress import Progress
from tests.leaderboards.commands.calls import Terminal


def test_it_grows_on_a_terminal_and_ends_its_line() -> None:
    terminal = Terminal()
    progress = Progress(200, terminal)

    progress.step(50, "1,000 rows")
    progress.step(300, "4,000 rows")
    progress.close()

    assert f"[{'#' * 10}{'.' * 30}]  25% 1,000 rows" in terminal.getvalue()
    assert f"[{'#' * 40}] 100% 4,000 rows" in terminal.getvalue()
    assert terminal.getvalue().endswith("\n")


def test_nothing_is_drawn_into_a_file() -> None:
    file = StringIO()
    progress = Progress(200, file)

    progress.step(50, "1,000 rows")
    progress.close()

    assert file.getvalue() == ""

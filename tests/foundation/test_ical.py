"""Calendar files: what programs need to read, and which line is folded where."""

from datetime import UTC, datetime, timedelta

from foundation.ical import CalendarMoment, calendar_file

AT = datetime(2026, 11, 24, 12, 0, 5, tzinfo=UTC)
MOMENT = CalendarMoment(
    "board-1-end@boards.example",
    AT + timedelta(hours=1),
    "Runs, \\ and walks; all\nof them\x07",
    "Tue 24 Nov",
    "https://boards.example/boards/1/",
    AT,
)


def unfolded(file: bytes) -> list[str]:
    """Its lines, as a program reads them."""
    return file.decode().replace("\r\n ", "").split("\r\n")


def test_it_has_all_that_the_standard_asks_for_in_utc_and_texts_are_escaped() -> None:
    lines = unfolded(calendar_file("Runs", [MOMENT]))

    assert lines[:3] == ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Sunwi//Calendar//EN"]
    assert lines[-2:] == ["END:VCALENDAR", ""]
    for line in (
        "UID:board-1-end@boards.example",
        "DTSTAMP:20261124T120005Z",
        "DTSTART:20261124T130005Z",
        "SUMMARY:Runs\\, \\\\ and walks\\; all\\nof them",
        "STATUS:CONFIRMED",
        "METHOD:PUBLISH",
    ):
        assert lines.count(line) == 1, line


def test_lines_have_at_most_75_bytes_and_no_letter_is_cut() -> None:
    name = "가나다라마바사 달리기 " * 12

    file = calendar_file(name, [])

    assert max(len(line) for line in file.split(b"\r\n")) <= 75
    assert b"\n" not in file.replace(b"\r\n", b"")
    assert f"NAME:{name}" in unfolded(file)


def test_a_later_change_has_a_greater_sequence() -> None:
    later = CalendarMoment("u", AT, "s", "d", "https://b.example", AT + timedelta(seconds=1))

    assert later.sequence == MOMENT.sequence + 1
    assert CalendarMoment("u", AT, "s", "d", "", datetime(1999, 1, 1, tzinfo=UTC)).sequence == 0

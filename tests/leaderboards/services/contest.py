"""A competition as leaderboards see it, a stand-in for whoever declares events, and what is told of entries."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from foundation.errors import SunwiError
from leaderboards.core.input.entries import read_entry
from leaderboards.core.periods import event_window
from leaderboards.core.ranking.rules import Order, Ties, Update
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board, Period, Submission
from leaderboards.services import events
from leaderboards.services.events import BanPreview, Event
from leaderboards.services.submit.pipeline import submit
from tests.contracts.arena import NOW, Arena
from tests.contracts.forms import FORMS
from tests.leaderboards.services.site import DAY, NOON, make_board

STARTS, ENDS = NOON - DAY, NOON + DAY
LONG_AGO = NOON - 400 * DAY


class KnownEvents:
    """Events and refusals by number; everybody in ``players`` takes part in all of them, since the time beside them."""

    def __init__(self, players: Collection[str]) -> None:
        self.players = dict.fromkeys(players, LONG_AGO)
        self.by_number: dict[int, Event | SunwiError] = {}
        self.no_more: set[int] = set()

    def find_events(self, numbers: Collection[int], at: datetime) -> Mapping[int, Event | SunwiError]:
        return {number: self.by_number[number] for number in numbers if number in self.by_number}

    def names(self, numbers: Collection[int]) -> Mapping[int, str]:
        return {}

    def joined_times(self, pairs: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], datetime]:
        return {pair: self.players[pair[1]] for pair in pairs if pair[1] in self.players}

    def players_who_left(self, number: int) -> Collection[int]:
        return self.no_more if number in self.by_number else ()

    def freeze(self, number: int, at: datetime) -> None:
        """Nothing is hidden."""

    def preview_ban(self, players: Collection[int], *, banned: bool, board: int | None = None) -> BanPreview:
        return BanPreview()

    def void(self, submission: Submission, reason: str, at: datetime, by: object) -> bool:
        raise NotImplementedError  # these tests void no score of an event

    def unvoid(self, submission: Submission, reason: str, at: object, by: object, *, purge: int | None = None) -> bool:
        raise NotImplementedError  # these tests void no score of an event

    def accept_late(self, entry: object, reason: str, at: datetime, by: object) -> None:
        raise NotImplementedError  # these tests void no score of an event

    def add(self, board: Board, number: int = 7, **wanted: Any) -> Event:
        window = event_window(number, wanted.pop("starts_at", STARTS), wanted.pop("ends_at", ENDS))
        self.by_number[number] = event = Event(number, board, window, **wanted)
        return event


@contextmanager
def known_events(players: Collection[str] = ("a", "b", "c", "d")) -> Iterator[KnownEvents]:
    """Somebody declares events, until the end of the block."""
    before, declared = events.source(), KnownEvents(players)
    events.provide(declared)
    try:
        yield declared
    finally:
        events.provide(before)


def event_board(storage: str = "hybrid", **wanted: Any) -> Board:
    return make_board(storage, period="event", **{"name": f"Races in {storage}", **wanted})


def send(*raw: dict[str, Any], at: datetime = NOON, service: str = "game", **options: bool) -> list[Outcome]:
    """Entries of competition 7, unless they say otherwise."""
    entries = [read_entry(each if "board" in each else {"competition": 7, **each}, n) for n, each in enumerate(raw)]
    return submit(entries, Caller(service), at, **options)


def opened(storage: str) -> Arena:
    member = next(form for form in FORMS if form.name == "member")
    return Arena.open(member, storage, Order.DESC, Update.INCREMENT, Ties.FIRST_COME)


def send_to(arena: Arena, *raw: dict[str, Any], at: datetime = NOW, **options: Any) -> list[Outcome]:
    return send(*({"board": arena.board.seq, **each} for each in raw), at=at, **options)


def told(outcomes: list[Outcome]) -> list[str]:
    return [outcome.code or outcome.status.value for outcome in outcomes]


def period_of(event: Event) -> Period:
    return Period.objects.select_related("board").get(board=event.board, label=event.window.label)


def just_before(at: datetime) -> str:
    return (at - timedelta(milliseconds=1)).isoformat()

"""How Redis names the players of a family: by their ids, in compact families by their numbers in SQL, of 12 digits.

A *cell* is what Redis has for a player. A member of a compact period is the cell, ``_`` and the player's id; Redis has
the cell alone. Numbers never change, but ids do when a player is erased: they are read from SQL, once for each reading.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from foundation.db.resilience import ask as ask_sql
from leaderboards.core.packing.layout import NUMBER_DIGITS, Layout
from leaderboards.models import Part, Player

NOBODY = "0" * NUMBER_DIGITS  # no player's number
_UNNAMED = "/"  # no player's id has it: that of a number that SQL does not know


class PlayerCells(Protocol):
    """The players of one reading."""

    def look_up(self, players: Iterable[str]) -> None:
        """Read the cells of these players, for ``cell``."""

    def cell(self, player: str, number: int | None = None) -> str:
        """Return what Redis has for a player that was looked up, or whose ``number`` in SQL is given.

        For one that SQL does not know it is what nobody has.
        """

    def name(self, cells: Iterable[str]) -> None:
        """Read whose these cells are, for ``player_of`` and ``member``."""

    def player_of(self, cell: str) -> str:
        """Return the player of a cell that was named."""

    def member(self, cell: str) -> str:
        """Return the member with a cell that was named."""


def cells_of(period: Part) -> PlayerCells:
    """Return an object to translate players and members with."""
    return _Numbers() if period.layout.has_numbers else _Members(period.layout)


def cell_of_member(period: Part, member: str) -> str:
    """Return what Redis has in the place of a member."""
    return member[:NUMBER_DIGITS] if period.layout.has_numbers else member


def members_and_scores(period: Part, found: Sequence[bytes]) -> Iterator[tuple[str, float]]:
    """Yield members with scores from what a script has returned: what Redis has for a player, and the score of each."""
    cells, names = cells_of(period), [cell.decode() for cell in found[::2]]
    cells.name(names)
    return zip(map(cells.member, names), map(float, found[1::2]), strict=True)


class _Members:
    """Redis has the players' ids, and members as SQL has them."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def look_up(self, players: Iterable[str]) -> None:
        pass

    def cell(self, player: str, number: int | None = None) -> str:  # noqa: ARG002 - of the protocol
        return player

    def name(self, cells: Iterable[str]) -> None:
        pass

    def player_of(self, cell: str) -> str:
        return self._layout.player_of(cell)

    def member(self, cell: str) -> str:
        return cell


class _Numbers:
    """Redis has numbers."""

    def __init__(self) -> None:
        self._cells: dict[str, str] = {}
        self._players: dict[str, str] = {}

    def look_up(self, players: Iterable[str]) -> None:
        wanted = {player for player in players if player not in self._cells}
        unnamed = {player for player in wanted if player.startswith(_UNNAMED)}
        for player in unnamed:
            self._note(player, player.removeprefix(_UNNAMED))
        if wanted := wanted - unnamed:
            rows = Player.objects.filter(external_id__in=wanted).values_list("external_id", "pk")
            for player, number in ask_sql(lambda: list(rows)):
                self._note(player, _cell_of_number(number))

    def cell(self, player: str, number: int | None = None) -> str:
        return self._cells.get(player, NOBODY) if number is None else _cell_of_number(number)

    def name(self, cells: Iterable[str]) -> None:
        wanted = {cell for cell in cells if cell not in self._players}
        if not wanted:
            return
        rows = Player.objects.filter(pk__in=[int(cell) for cell in wanted]).values_list("external_id", "pk")
        for player, number in ask_sql(lambda: list(rows)):
            self._note(player, _cell_of_number(number))
        for cell in wanted - self._players.keys():
            self._note(_UNNAMED + cell, cell)

    def player_of(self, cell: str) -> str:
        return self._players[cell]

    def member(self, cell: str) -> str:
        return f"{cell}_{self._players[cell]}"

    def _note(self, player: str, cell: str) -> None:
        self._cells[player], self._players[cell] = cell, player


def _cell_of_number(number: int) -> str:
    return f"{number:0{NUMBER_DIGITS}d}"

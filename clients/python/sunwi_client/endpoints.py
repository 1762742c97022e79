"""The request of each client method, shared by both clients. The server checks the bounds of parameters."""

from collections.abc import Mapping, Sequence
from typing import Any

from sunwi_client.flow import Call, Value, call

CURRENT = "current"


def _metadata(asked: bool) -> dict[str, Value]:
    return {"metadata": True} if asked else {}


def following(named: Mapping[str, Any], cursor: str) -> dict[str, Any]:
    """The arguments of the page of ``cursor``, which says where it begins and of which period it is."""
    return {name: each for name, each in named.items() if name not in ("offset", "period")} | {"cursor": cursor}


def list_boards(name: str | None, limit: int, offset: int) -> Call:
    return call("GET", "boards", query={"name": name, "limit": limit, "offset": offset}).giving("rows")


def read_board(board: int) -> Call:
    return call("GET", "boards", board).giving("seq")


def list_periods(board: int, query: dict[str, Value]) -> Call:
    return call("GET", "boards", board, "periods", query=query).giving("rows")


def top(board: int, query: dict[str, Value], metadata: bool, max_age: int | None) -> Call:
    query = query | _metadata(metadata)
    return call("GET", "boards", board, "standings", query=query).giving("rows").aged(max_age)


def player(board: int, name: str, period: str, metadata: bool) -> Call:
    query: dict[str, Value] = {"period": period, **_metadata(metadata)}
    return call("GET", "boards", board, "players", name, query=query).giving("player")


def players(board: int, ids: Sequence[str], period: str, metadata: bool) -> Call:
    query: dict[str, Value] = {"ids": ",".join(ids), "period": period, **_metadata(metadata)}
    return call("GET", "boards", board, "players", query=query).giving("rows")


def around(board: int, name: str, radius: int, period: str, metadata: bool) -> Call:
    query: dict[str, Value] = {"radius": radius, "period": period, **_metadata(metadata)}
    return call("GET", "boards", board, "players", name, "around", query=query).giving("rows")


def percentile(board: int, name: str, period: str, exact: bool) -> Call:
    query: dict[str, Value] = {"period": period, **({"exact": True} if exact else {})}
    return call("GET", "boards", board, "players", name, "percentile", query=query).giving("percentile")


def view(board: int, query: dict[str, Value], ids: Sequence[str]) -> Call:
    return call("GET", "boards", board, "view", query=query | {"ids": ",".join(ids) or None}).giving("list")


def list_competitions(state: str | None, board: int | None, limit: int, offset: int) -> Call:
    query: dict[str, Value] = {"state": state, "board": board, "limit": limit, "offset": offset}
    return call("GET", "competitions", query=query).giving("rows")


def read_competition(number: int) -> Call:
    return call("GET", "competitions", number).giving("id")


def competition_top(number: int, query: dict[str, Value], metadata: bool) -> Call:
    query = query | _metadata(metadata)
    return call("GET", "competitions", number, "standings", query=query).giving("rows")


def competition_player(number: int, name: str, metadata: bool) -> Call:
    return call("GET", "competitions", number, "players", name, query=_metadata(metadata)).giving("player")


def competition_around(number: int, name: str, radius: int, metadata: bool) -> Call:
    query: dict[str, Value] = {"radius": radius, **_metadata(metadata)}
    return call("GET", "competitions", number, "players", name, "around", query=query).giving("rows")


def competition_view(number: int, query: dict[str, Value], ids: Sequence[str]) -> Call:
    return call("GET", "competitions", number, "view", query=query | {"ids": ",".join(ids) or None}).giving("list")

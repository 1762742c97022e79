"""Sending entries to a board of the member form, and what is told of them."""

from datetime import datetime
from typing import Any

import pytest

from leaderboards.core.entries import read_entry
from leaderboards.core.rules import Order, Ties, Update
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.services.submit import submit
from tests.contracts.arena import NOW, Arena
from tests.contracts.forms import FORMS

MEMBER = next(form for form in FORMS if form.name == "member")
WHO_DECIDES = pytest.mark.parametrize("storage", ["hybrid", "redis"])  # SQL or Redis; sql boards are decided as hybrid
TURN = datetime.fromisoformat("2026-03-09T00:00:00+00:00")  # the end of NOW's week


def opened(storage: str) -> Arena:
    return Arena.open(MEMBER, storage, Order.DESC, Update.INCREMENT, Ties.FIRST_COME)


def send(
    arena: Arena, *raw: dict[str, Any], at: datetime = NOW, service: str = "game", dry_run: bool = False
) -> list[Outcome]:
    entries = [read_entry({"board": arena.board.seq, **each}, place) for place, each in enumerate(raw)]
    return submit(entries, Caller(service), at, dry_run=dry_run)

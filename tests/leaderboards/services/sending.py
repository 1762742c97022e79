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
STORAGES = pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
IN_REDIS = pytest.mark.parametrize("storage", ["hybrid", "redis"])


def opened(storage: str, update: Update = Update.INCREMENT) -> Arena:
    return Arena.open(MEMBER, storage, Order.DESC, update, Ties.FIRST_COME)


def send(arena: Arena, *raw: dict[str, Any], at: datetime = NOW, **options: bool) -> list[Outcome]:
    entries = [read_entry({"board": arena.board.seq, **each}, place) for place, each in enumerate(raw)]
    return submit(entries, Caller("game"), at, **options)


def told(outcomes: list[Outcome]) -> list[str]:
    return [outcome.code or outcome.status.value for outcome in outcomes]

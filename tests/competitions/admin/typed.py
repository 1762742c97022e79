"""A competition's form as a browser sends it, and what a page says."""

import re
from datetime import datetime
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

from django.test import Client

from competitions.models import Competition
from leaderboards.models import Board
from tests.competitions.factories import DAY, END, START

LIST = "/admin/competitions/competition/"
ADD = f"{LIST}add/"
ZONE = "Asia/Seoul"
NO_TIERS = {"reward_tiers-TOTAL_FORMS": "0", "reward_tiers-INITIAL_FORMS": "0"}

NO_DIVISIONS = {"divisions-TOTAL_FORMS": "0", "divisions-INITIAL_FORMS": "0"}


def moment(name: str, at: datetime | None, zone: str = ZONE) -> dict[str, str]:
    """A date and a time of day, on the clock of ``zone``."""
    local = at.astimezone(ZoneInfo(zone)) if at else None
    return {f"{name}_0": f"{local:%Y-%m-%d}" if local else "", f"{name}_1": f"{local:%H:%M:%S}" if local else ""}


def typed(board: Board, **changed: Any) -> dict[str, Any]:
    """Every field of a draft's form."""
    times = {"starts_at": START + DAY, "ends_at": END + DAY, "join_until": None}
    times |= {name: changed.pop(name) for name in tuple(changed) if name in times}
    zone = changed.get("timezone", ZONE)
    zone = zone if "/" in zone and "Mars" not in zone else ZONE
    fields = {
        "name": "Cup", "board": board.pk, "timezone": ZONE, "description": "", "joining": "everyone", "join_code": "",
        "invited": "", "most_participants": "", "attempts": "", "freeze_minutes": "", "review_hours": "",
        "snapshot_minutes": "30", "alert_hours": "24", "alerts": ["first_taken"],
        "vacated_places": "close_up", "team_score": "", "team_counts": "", "team_size": "",
        "team_entry": "open",
    }  # fmt: skip  # as a table
    shown = {part: text for name, at in times.items() for part, text in moment(name, at, zone).items()}
    return fields | shown | NO_TIERS | NO_DIVISIONS | changed


def change(competition: Competition) -> str:
    return f"{LIST}{competition.pk}/change/"


def act(competition: Competition, slug: str) -> str:
    return f"{LIST}{competition.pk}/{slug}/"


def page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.status_code
    return " ".join(unescape(answer.content.decode()).split())


def sealed(client: Client, address: str, sent: dict[str, Any]) -> Any:
    """The answer to this form; one that says yes was looked at before, and carries the seal of what it showed."""
    if "confirmed" not in sent:
        return client.post(address, sent)
    looked = client.post(address, {name: text for name, text in sent.items() if name != "confirmed"})
    return client.post(address, {**sent, "shown": looked.context.get("shown_seal", "")})


def recorded(client: Client, competition: Competition) -> list[str]:
    """The latest row of a competition's record as its page shows it: when, what, by whom, about what, and why."""
    row = re.search(r"<tr><td><time.*?</tr>", page(client, change(competition)))
    assert row is not None
    return [" ".join(re.sub(r"<[^>]*>", " ", cell).split()) for cell in re.findall(r"<t[dh].*?</t[dh]>", row[0])]


def refusals(answer: Any) -> str:
    """What the form of an answer refuses."""
    assert answer.status_code == 200, answer.status_code
    html = unescape(answer.content.decode())
    return " ".join(re.findall(r'<ul class="errorlist.*?</ul>', html, re.DOTALL))

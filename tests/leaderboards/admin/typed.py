"""A board's form as a browser sends it."""

from typing import Any

from django.db.models import Model
from django.test import Client

from leaderboards.admin.boards.preview_seal import SEAL_FIELD
from leaderboards.models import Board
from leaderboards.services.boards import SETTINGS
from tests.leaderboards.factories import BoardFactory

ADD = "/admin/leaderboards/board/add/"
LIST = "/admin/leaderboards/board/"
PREVIEW = "/admin/leaderboards/board/preview/"


def settings(**changed: Any) -> dict[str, Any]:
    """Every field of the form, as text; of the operators those that are ticked."""
    return typed_from(Board(name="Typed", storage="sql"), **changed)


def make_board(**wanted: Any) -> Board:
    return BoardFactory.create(**{"name": "Made", "storage": "sql", **wanted})


def change(board: Board) -> str:
    return f"/admin/leaderboards/board/{board.seq}/change/"


def typed_from(board: Board, **changed: Any) -> dict[str, Any]:
    stored = {name: getattr(board, name) for name in SETTINGS}
    return {name: value if name == "operators" else _text(value) for name, value in (stored | changed).items()}


def _text(value: Any) -> str:
    return "" if value is None else "[]" if value == [] else str(value)


def save(client: Client, board: Board, **changed: Any) -> str:
    """Look at what a change of the board would do, then save just that; the page that was looked at."""
    typed = typed_from(board, **changed)
    shown = client.post(change(board), typed)
    seal = shown.context["foreseen"]["seal"]
    answer = client.post(change(board), typed | {SEAL_FIELD: seal})
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    return shown.content.decode()


def act(client: Client, address: str, action: str, *rows: Model, **more: str) -> str:
    """What is shown once an action was run on the selected rows."""
    wanted = {"action": action, "_selected_action": [row.pk for row in rows], **more}
    return client.post(address, wanted, follow=True).content.decode()


def page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()

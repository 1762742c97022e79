"""Create the demo's tables, boards, accounts, competitions, league, history and service key.

It runs at every start and creates only what is missing. Boards that were changed by hand stay unchanged.
"""

import json
import os
import sys
from datetime import timedelta
from pathlib import Path

import django

SCOPES = ["scores:write", "players:write", "likes:write", "boards:read"]
BOARDS = Path(__file__).with_name("boards.json")


def main() -> None:
    from config.local.data_folder import DataFolder

    folder = DataFolder(Path(os.environ["DATA_DIR"]))
    make_tables()
    folder.tables.touch()  # lets the web server start
    make_boards()
    make_accounts(folder.root)
    make_competitions()
    make_league()
    make_history()
    make_service_key(folder.service_key)


def make_tables() -> None:
    """Migrate the database, before any other process starts."""
    from django.core.management import call_command
    from django.db import DatabaseError

    try:
        call_command("migrate", interactive=False, verbosity=0)
    except DatabaseError as error:
        sys.exit(f"The database can not be used: {str(error).splitlines()[0]}")


def make_boards() -> None:
    from foundation import clock
    from leaderboards.models import Board
    from leaderboards.services.board_files import apply_boards

    wanted = json.loads(BOARDS.read_text())["boards"]
    there = set(Board.objects.values_list("name", flat=True))
    at = clock.now()
    for board in wanted:
        if board["period"] == "week":  # so that the week has already run for five days at the first start
            board["week_start"] = f"{at - timedelta(days=5):%A}".lower()
    if missing := [board for board in wanted if board["name"] not in there]:
        apply_boards(missing, at)


def make_accounts(root: Path) -> None:
    from django.contrib.auth import get_user_model

    from config.local.data_folder import DataFolder
    from config.local.demo import ADMIN, PLAYER
    from leaderboards.models import Player

    users = get_user_model().objects
    for name, password in DataFolder(root).passwords(ADMIN, PLAYER).items():
        is_admin = name == ADMIN
        user = users.filter(username=name).first()
        if user is None:
            users.create_user(name, password=password, is_staff=is_admin, is_superuser=is_admin)
        elif not user.check_password(password):  # a new data folder with an existing database
            user.set_password(password)
            user.save(update_fields=["password"])
    player, _ = Player.objects.get_or_create(external_id="robin", defaults={"name": "Robin"})
    if player.user_id is None:
        player.user = users.get(username=PLAYER)
        player.save(update_fields=["user"])


def make_competitions() -> None:
    """Run after ``make_accounts``: the player of an account takes part."""
    from config.local.seeding import competitions
    from foundation import clock

    for refused in competitions.make_competitions(clock.now()):
        print(refused, file=sys.stderr)


def make_league() -> None:
    """Run after ``make_competitions``, which names the players."""
    from config.local.seeding import leagues
    from foundation import clock
    from foundation.errors import SunwiError

    try:
        leagues.make_league(clock.now())
    except SunwiError as error:
        print(f"The league: {error.detail}", file=sys.stderr)


def make_history() -> None:
    """Run after ``make_league``, whose weeks stay unchanged."""
    from config.local.seeding import history
    from foundation import clock
    from foundation.errors import SunwiError

    try:
        history.make_history(clock.now())
    except SunwiError as error:
        print(f"The past: {error.detail}", file=sys.stderr)


def make_service_key(path: Path) -> None:
    from config.local.data_folder import write_private
    from foundation.errors import SunwiError
    from foundation.security import service_keys

    if path.exists():
        try:
            found = service_keys.authenticate(f"Bearer {path.read_text().strip()}")
        except SunwiError:
            pass  # from another database, or revoked: create a new one
        else:
            if set(SCOPES) <= set(found.scopes):
                return
    _, key = service_keys.make("demo", SCOPES, None, None)
    write_private(path, key + "\n")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    main()

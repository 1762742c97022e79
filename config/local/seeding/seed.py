"""The demo's tables, boards, accounts, competitions, league, past and key.

It runs at every start and makes only what is missing. A board that was changed by hand since stays as it is.
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
    folder.tables.touch()  # the web server starts meanwhile
    make_boards()
    make_accounts(folder.root)
    make_competitions()
    make_league()
    make_history()
    make_service_key(folder.service_key)


def make_tables() -> None:
    """Migrations run before anything else starts, so no two processes run them at once."""
    from django.core.management import call_command
    from django.db import DatabaseError

    try:
        call_command("migrate", interactive=False, verbosity=0)
    except DatabaseError as error:
        sys.exit(f"The database can not be used: {str(error).splitlines()[0]}")


def make_boards() -> None:
    from foundation import clock
    from leaderboards.models import Board
    from leaderboards.services.boards import apply_boards

    wanted = json.loads(BOARDS.read_text())["boards"]
    there = set(Board.objects.values_list("name", flat=True))
    at = clock.now()
    for board in wanted:
        if board["period"] == "week":  # that runs for some days already, on whatever day the demo starts first
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
        elif not user.check_password(password):  # a new folder on an older database
            user.set_password(password)
            user.save(update_fields=["password"])
    player, _ = Player.objects.get_or_create(external_id="robin", defaults={"name": "Robin"})
    if player.user_id is None:
        player.user = users.get(username=PLAYER)
        player.save(update_fields=["user"])


def make_competitions() -> None:
    """After the accounts: the player of one of them takes part."""
    from config.local.seeding import competitions
    from foundation import clock

    for refused in competitions.make_competitions(clock.now()):
        print(refused, file=sys.stderr)


def make_league() -> None:
    """After the competitions, which give the players their names."""
    from config.local.seeding import leagues
    from foundation import clock
    from foundation.errors import SunwiError

    try:
        leagues.make_league(clock.now())
    except SunwiError as error:
        print(f"The league: {error.detail}", file=sys.stderr)


def make_history() -> None:
    """After the league, whose weeks stay as they are."""
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
            pass  # another database, or revoked there: a new one is made
        else:
            if set(SCOPES) <= set(found.scopes):
                return
    _, key = service_keys.make("demo", SCOPES, None, None)
    write_private(path, key + "\n")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    main()

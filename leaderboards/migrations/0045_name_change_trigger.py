"""PostgreSQL lists of whom pages show something else now, in the transaction that changes it, whoever does it.

Players without a name and country, as a player's first score makes them, cost nothing.
"""

from django.db import migrations

from leaderboards.migrations._postgresql import RunPostgreSQL

_FUNCTION = """
CREATE FUNCTION leaderboards_list_name_change() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO leaderboards_namechange (player, xid, at)
    VALUES (COALESCE(NEW.id, OLD.id), pg_current_xact_id()::text::bigint, clock_timestamp());
    RETURN NULL;
END $$
"""
_RUN = "EXECUTE FUNCTION leaderboards_list_name_change()"
_INSERTED = f"""
CREATE TRIGGER leaderboards_player_named AFTER INSERT ON leaderboards_player
FOR EACH ROW WHEN (NEW.name <> '' OR NEW.country <> '') {_RUN}
"""
_NAME, _PICTURE = ("name", "country", "external_id"), ("picture", "picture_from", "avatar_url")


def _changed(columns: tuple[str, ...]) -> str:
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    return f"({old}) IS DISTINCT FROM ({new})"


_RENAMED = f"""
CREATE TRIGGER leaderboards_player_renamed AFTER UPDATE OF {", ".join(_NAME)} ON leaderboards_player
FOR EACH ROW WHEN ({_changed(_NAME)}) {_RUN}
"""
_PICTURED = f"""
CREATE TRIGGER leaderboards_player_pictured AFTER UPDATE OF {", ".join(_PICTURE)} ON leaderboards_player
FOR EACH ROW WHEN ((OLD.picture <> '' OR NEW.picture <> '') AND {_changed(_PICTURE)}) {_RUN}
"""
_DELETED = f"CREATE TRIGGER leaderboards_player_deleted AFTER DELETE ON leaderboards_player FOR EACH ROW {_RUN}"
# Also where a session replays what another server did.
_ALWAYS = [
    f"ALTER TABLE leaderboards_player ENABLE ALWAYS TRIGGER leaderboards_player_{name}"
    for name in ("named", "renamed", "pictured", "deleted")
]
_UNDO = """
DROP TRIGGER leaderboards_player_deleted ON leaderboards_player;
DROP TRIGGER leaderboards_player_pictured ON leaderboards_player;
DROP TRIGGER leaderboards_player_renamed ON leaderboards_player;
DROP TRIGGER leaderboards_player_named ON leaderboards_player;
DROP FUNCTION leaderboards_list_name_change()
"""


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0044_name_changes")]

    operations = [RunPostgreSQL([_FUNCTION, _INSERTED, _RENAMED, _PICTURED, _DELETED, *_ALWAYS], _UNDO)]

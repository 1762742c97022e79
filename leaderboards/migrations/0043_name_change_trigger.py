"""PostgreSQL lists whose name, country or id changes, in the transaction that changes it, whoever does it.

Players without a name and country, as a player's first score makes them, cost nothing.
"""

from django.db import migrations

from leaderboards.migrations._postgresql import RunPostgreSQL

_FUNCTION = """
CREATE FUNCTION leaderboards_list_name_change() RETURNS trigger LANGUAGE plpgsql AS $$
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
_UPDATED = f"""
CREATE TRIGGER leaderboards_player_renamed AFTER UPDATE OF name, country, external_id ON leaderboards_player
FOR EACH ROW WHEN ((OLD.name, OLD.country, OLD.external_id) IS DISTINCT FROM (NEW.name, NEW.country, NEW.external_id))
{_RUN}
"""
_DELETED = f"CREATE TRIGGER leaderboards_player_deleted AFTER DELETE ON leaderboards_player FOR EACH ROW {_RUN}"
_UNDO = """
DROP TRIGGER leaderboards_player_deleted ON leaderboards_player;
DROP TRIGGER leaderboards_player_renamed ON leaderboards_player;
DROP TRIGGER leaderboards_player_named ON leaderboards_player;
DROP FUNCTION leaderboards_list_name_change()
"""


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0042_name_changes")]

    operations = [RunPostgreSQL([_FUNCTION, _INSERTED, _UPDATED, _DELETED], _UNDO)]

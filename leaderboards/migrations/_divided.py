"""Tables that are divided by period on PostgreSQL, and the functions that make and drop a period's own ones.

``leaderboards_standing`` becomes the parent of ``leaderboards_standing_rest``, which is the table of before: it keeps
its rows, indexes and foreign keys. No row is read or written for that, so the lock is held for some milliseconds. The
parent has no key on ``id`` alone, since a unique index of a divided table contains what divides it; each part has one.

The functions are run as their owner, who migrates: the application's own role makes no tables (decision 0051). They
take a number or the name of a tablespace, and no names of tables. They wait 50 ms for a lock at most.
"""

from django.db import migrations

from leaderboards.migrations._postgresql import RunPostgreSQL

FIRST_OWN = 2**40  # numbers of periods from here on have tables of their own
FIRST_DRAWN = FIRST_OWN + 2**30  # a barrier is a number modulo 2**31: it is another one than that of any other period
TABLES = ("leaderboards_standing", "leaderboards_finalstanding")

_KEYS = """
    SELECT c.conindid AS index, c.conname AS name, c.oid AS key FROM pg_constraint c
    WHERE c.conrelid = '{relation}'::regclass AND c.contype IN ('p', 'u')
    UNION ALL SELECT i.indexrelid, r.relname, NULL FROM pg_index i JOIN pg_class r ON r.oid = i.indexrelid
    WHERE i.indrelid = '{relation}'::regclass
    AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u'))
"""
_RENAME = """
        IF each.key IS NULL THEN
            EXECUTE format('ALTER INDEX %I RENAME TO %I', each.name, {name});
        ELSE
            EXECUTE format('ALTER TABLE {relation} RENAME CONSTRAINT %I TO %I', each.name, {name});
        END IF;
"""
_DIVIDE = """
DO $$
DECLARE
    each record;
    made text[] := '{{}}';
    statement text;
    next_id bigint;
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = '{table}'::regclass) = 'p' THEN
        RETURN;
    END IF;
    LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;
    FOR each IN {keys} LOOP
        IF each.key IS NULL THEN
            made := made || pg_get_indexdef(each.index);
        ELSIF pg_get_constraintdef(each.key) LIKE '%(period_id, %' THEN
            statement := format('ALTER TABLE {table} ADD CONSTRAINT %I ', each.name) || pg_get_constraintdef(each.key);
            made := statement || made;
        END IF;
        {rename}
    END LOOP;
    IF {numbered} THEN
        EXECUTE 'SELECT last_value + is_called::int FROM ' || pg_get_serial_sequence('{table}', 'id') INTO next_id;
        ALTER TABLE {table} ALTER COLUMN id DROP IDENTITY IF EXISTS;
        CREATE SEQUENCE {table}_id_seq AS bigint;
        PERFORM setval('{table}_id_seq', next_id, false);
        ALTER TABLE {table} ALTER COLUMN id SET DEFAULT nextval('{table}_id_seq');
    END IF;
    ALTER TABLE {table} RENAME TO {table}_rest;
    CREATE TABLE {table} (LIKE {table}_rest INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY RANGE (period_id);
    IF next_id IS NOT NULL THEN
        ALTER SEQUENCE {table}_id_seq OWNED BY {table}.id;
    END IF;
    FOREACH statement IN ARRAY made LOOP
        EXECUTE statement;
    END LOOP;
    FOR each IN SELECT id AS number FROM leaderboards_period WHERE id >= {first} LOOP  -- it was undone before
        EXECUTE format('CREATE TABLE {table}_%s (LIKE {table} INCLUDING DEFAULTS INCLUDING STORAGE)', each.number);
        IF {numbered} THEN
            EXECUTE format('ALTER TABLE {table}_%s ADD PRIMARY KEY (id)', each.number);
        END IF;
        EXECUTE format('INSERT INTO {table}_%s SELECT * FROM {table}_rest WHERE period_id = %1$s', each.number);
        EXECUTE format('DELETE FROM {table}_rest WHERE period_id = %s', each.number);
        EXECUTE format('ALTER TABLE {table} ATTACH PARTITION {table}_%s FOR VALUES FROM (%1$s) TO (%s)',
            each.number, each.number + 1);
    END LOOP;
    IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = '{table}_rest'::regclass AND conname = '{check}') THEN
        ALTER TABLE {table}_rest ADD CONSTRAINT {check} CHECK (period_id < {first});
    END IF;
    ALTER TABLE {table} ATTACH PARTITION {table}_rest FOR VALUES FROM (MINVALUE) TO ({first});
    FOR each IN
        SELECT a.privilege_type AS right, coalesce(quote_ident(r.rolname), 'PUBLIC') AS whom FROM pg_class c
        CROSS JOIN aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
        WHERE c.oid = '{table}_rest'::regclass AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('GRANT %s ON {table} TO %s', each.right, each.whom);
        IF next_id IS NOT NULL AND each.right = 'INSERT' THEN
            EXECUTE format('GRANT USAGE ON SEQUENCE {table}_id_seq TO %s', each.whom);
        END IF;
    END LOOP;
END $$
"""
_UNITE = """
DO $$
DECLARE
    each record;
    next_id bigint;
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = '{table}'::regclass) <> 'p' THEN
        RETURN;
    END IF;
    LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;
    SET CONSTRAINTS ALL IMMEDIATE;  -- a table with checks that wait is not changed
    IF {numbered} THEN
        EXECUTE 'SELECT last_value + is_called::int FROM ' || pg_get_serial_sequence('{table}', 'id') INTO next_id;
    END IF;
    IF {numbered} THEN
        ALTER TABLE {table}_rest ALTER COLUMN id DROP DEFAULT;
    END IF;
    ALTER TABLE {table} DETACH PARTITION {table}_rest;
    IF EXISTS (SELECT FROM leaderboards_period WHERE id >= {first}) THEN
        ALTER TABLE {table}_rest DROP CONSTRAINT IF EXISTS {check};
        INSERT INTO {table}_rest SELECT * FROM {table};
        SET CONSTRAINTS ALL IMMEDIATE;
    END IF;
    DROP TABLE {table};
    FOR each IN {keys} LOOP
        {rename}
    END LOOP;
    ALTER TABLE {table}_rest RENAME TO {table};
    IF next_id IS NOT NULL THEN
        ALTER TABLE {table} ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY;
        PERFORM setval(pg_get_serial_sequence('{table}', 'id'), next_id, false);
    END IF;
END $$
"""


def check_of(table: str) -> str:
    """The name of the check that no row of the shared table belongs to a period with tables of its own."""
    return f"{table}_shared"


def divide(table: str) -> RunPostgreSQL:
    """Divide a table whose check ``check_of`` is valid. For a migration that is not atomic; it may run twice.

    Undone, the rows of all parts are copied into the one table, and back when it is done again. That takes as long as
    there are such rows, and only it does.
    """
    whole, rest = ({"relation": name} for name in (table, f"{table}_rest"))
    renamed = _RENAME.format(**whole, name="left(each.name, 58) || '_rest'")
    back = _RENAME.format(**rest, name="regexp_replace(each.name, '_rest$', '')")
    numbered = str(table == "leaderboards_standing").lower()  # whether a row has an id
    values = {"table": table, "first": FIRST_OWN, "check": check_of(table), "numbered": numbered}
    return RunPostgreSQL(
        _DIVIDE.format(**values, keys=_KEYS.format(**whole), rename=renamed),
        _UNITE.format(**values, keys=_KEYS.format(**rest), rename=back),
    )


def check_shared(table: str) -> RunPostgreSQL:
    """Add the check, for new rows; ``validate_shared`` is next. Where ``divide`` was undone, that has it later."""
    return RunPostgreSQL(
        f"DO $$ BEGIN IF NOT EXISTS (SELECT FROM leaderboards_period WHERE id >= {FIRST_OWN}) THEN"
        f" ALTER TABLE {table} ADD CONSTRAINT {check_of(table)} CHECK (period_id < {FIRST_OWN}) NOT VALID;"
        " END IF; END $$",
        f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {check_of(table)}",
    )


def validate_shared(table: str) -> RunPostgreSQL:
    """Read all rows beside writers, in a migration of its own."""
    name = check_of(table)
    return RunPostgreSQL(
        f"DO $$ BEGIN IF EXISTS (SELECT FROM pg_constraint WHERE conname = '{name}') THEN"
        f" ALTER TABLE {table} VALIDATE CONSTRAINT {name}; END IF; END $$",
        migrations.RunSQL.noop,
    )


_FUNCTION = """
DO $do$ BEGIN EXECUTE format($format$
CREATE OR REPLACE FUNCTION {signature} LANGUAGE plpgsql SECURITY DEFINER
SET search_path TO %I, pg_temp SET lock_timeout TO '50ms' AS $body$
{body}
$body$ $format$, current_schema()); END $do$
"""
_PARTS = "ARRAY['leaderboards_standing', 'leaderboards_finalstanding']"
_MAKE = f"""
DECLARE
    number bigint := nextval('leaderboards_period_own_seq');
    usual text := current_setting('default_tablespace');
    parent text;
    part text;
BEGIN
    IF place <> '' THEN
        PERFORM set_config('default_tablespace', place, true);
    END IF;
    FOREACH parent IN ARRAY {_PARTS} LOOP
        part := parent || '_' || number;
        EXECUTE 'CREATE TABLE ' || part || ' (LIKE ' || parent || ' INCLUDING DEFAULTS INCLUDING STORAGE)';
        IF parent = 'leaderboards_standing' THEN
            EXECUTE 'ALTER TABLE ' || part || ' ADD PRIMARY KEY (id)';
        END IF;
        EXECUTE 'ALTER TABLE ' || parent || ' ATTACH PARTITION ' || part
            || ' FOR VALUES FROM (' || number || ') TO (' || number + 1 || ')';
    END LOOP;
    PERFORM set_config('default_tablespace', usual, true);
    RETURN number;
END
"""
_EMPTY = f"""
DECLARE
    part text;
BEGIN
    FOREACH part IN ARRAY {_PARTS} LOOP
        EXECUTE 'TRUNCATE TABLE ' || part || '_' || number;
    END LOOP;
END
"""
_DROP = f"""
DECLARE
    part text;
BEGIN
    IF EXISTS (SELECT FROM leaderboards_period WHERE id = number) THEN
        RAISE EXCEPTION 'the period still exists';
    END IF;
    FOREACH part IN ARRAY {_PARTS} LOOP
        EXECUTE 'DROP TABLE IF EXISTS ' || part || '_' || number;
    END LOOP;
END
"""


def _function(name: str, takes: str, gives: str, body: str) -> RunPostgreSQL:
    signature = f"{name}({takes}) RETURNS {gives}"
    made = _FUNCTION.format(signature=signature, body=body.strip().replace("%", "%%"))
    return RunPostgreSQL(made, f"DROP FUNCTION IF EXISTS {name}({takes.split()[-1]})")


def functions() -> list[RunPostgreSQL]:
    """Make the sequence of these periods' numbers, and what makes, empties and drops their tables."""
    return [
        RunPostgreSQL(
            f"CREATE SEQUENCE leaderboards_period_own_seq AS bigint MINVALUE {FIRST_DRAWN};"
            " SELECT setval('leaderboards_period_own_seq', id) FROM leaderboards_period"
            f" WHERE id >= {FIRST_DRAWN} ORDER BY id DESC LIMIT 1",
            "DROP SEQUENCE IF EXISTS leaderboards_period_own_seq",
        ),
        _function("leaderboards_make_own_tables", "place text", "bigint", _MAKE),
        _function("leaderboards_empty_own_tables", "number bigint", "void", _EMPTY),
        _function("leaderboards_drop_own_tables", "number bigint", "void", _DROP),
    ]

"""What a new migration may not do, since processes of this release and of the one before run beside it, and write.

Judged by the statements for PostgreSQL, as `manage.py sqlmigrate` shows them. A lock on a table that stays small is
over at once; what old processes trip over is so on every table.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Whose rows are as many as boards, competitions or servers, not as players or scores.
SMALL = frozenset({
    "competitions_competition", "competitions_division", "competitions_league", "competitions_leaguetier",
    "competitions_series", "competitions_seriesevent", "competitions_rewardtier", "foundation_knownredis",
    "foundation_servicekey", "foundation_webhookendpoint", "leaderboards_board", "leaderboards_importrun",
    "leaderboards_period", "leaderboards_purge", "likes_likekind",
})  # fmt: skip  # as a list


@dataclass(frozen=True, slots=True)
class Rule:
    """A statement that is refused, why, and what to do instead. ``of_locks``: only on tables that grow."""

    statement: re.Pattern[str]
    why: str
    of_locks: bool


def _rule(statement: str, why: str, of_locks: bool = True) -> Rule:
    return Rule(re.compile(statement), why, of_locks)


RULES = (
    _rule(
        r"^CREATE (UNIQUE )?INDEX (?!CONCURRENTLY)",
        "nobody writes while the index is made: take AddIndexBesideWriters, in a migration with atomic = False",
    ),
    _rule(
        r'ADD COLUMN "\w+" (?!.*DEFAULT).*NOT NULL|ALTER COLUMN "\w+" DROP DEFAULT',
        "processes of the release before insert rows without this column: give the field a db_default, or null=True",
        of_locks=False,
    ),
    _rule(
        r'ALTER COLUMN "\w+" SET NOT NULL',
        "all rows are read while nobody uses the table, and processes of the release before may write none: add a "
        "check constraint NOT VALID, validate it in a later migration, and only then set it",
        of_locks=False,
    ),
    _rule(r'ALTER COLUMN "\w+" TYPE', "the table may be rewritten while nobody uses it: add another column"),
    _rule(
        r"ADD CONSTRAINT (?!.*NOT VALID)(?!.*USING INDEX)",
        "all rows are read while nobody writes: add it NOT VALID, and validate it in a migration of its own",
    ),
    _rule(
        r'ADD COLUMN "\w+" .*(REFERENCES|GENERATED|UNIQUE)',
        "all rows are read or written while nobody uses the table: add a plain column that may be null first",
    ),
    _rule(
        r"RENAME (COLUMN|TO)",
        "processes of the release before ask for the old name: add the new one, write both, and drop the old one in "
        "the release after",
        of_locks=False,
    ),
    _rule(
        r"DROP (COLUMN|TABLE)",
        "processes of the release before still use it: drop it one release after the last that names it, and excuse it",
        of_locks=False,
    ),
    _rule(
        r"THIS OPERATION CANNOT BE WRITTEN AS SQL",
        "rows that are changed by a migration stay locked until its end: leave them to a task of the schedule, which "
        "goes in chunks, or excuse what only touches few",
        of_locks=False,
    ),
)

TABLE = re.compile(r'^(?:ALTER TABLE|CREATE (?:UNIQUE )?INDEX .* ON|DROP TABLE) "(\w+)"')


def broken_rules(statements: Iterable[str]) -> Iterator[str]:
    """Each statement of one migration that is refused, with the reason; tables that it creates itself are its own."""
    created: set[str] = set()
    for statement in statements:
        if made := re.match(r'CREATE TABLE "(\w+)"', statement):
            created.add(made[1])
        table = found[1] if (found := TABLE.match(statement)) else ""
        for rule in RULES:
            if table in created or (rule.of_locks and table in SMALL):
                continue
            if rule.statement.search(statement):
                yield f"{statement}: {rule.why}"

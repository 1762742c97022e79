"""The check of ``manage.py doctor`` for tables that periods have of their own."""

from collections.abc import Iterator
from datetime import datetime

from django.utils.translation import gettext as _

from leaderboards.core.period_numbers import FIRST_OWN
from leaderboards.management.findings import Finding, State
from leaderboards.models import Period
from leaderboards.stores.sql.own_tables import periods_without_tables, tables_without_period

NAME = "own tables"


def own_tables(_at: datetime) -> Iterator[Finding]:
    """Tell of periods whose tables are missing, and of tables whose periods are gone: the worker drops these."""
    missing, left_over = periods_without_tables(), tables_without_period()
    if missing:
        detail = _(
            "%(count)s periods have lost theirs, the first is %(number)s: restore them from a backup; until then "
            "they take no scores"
        ) % {"count": f"{len(missing):,}", "number": missing[0]}
        yield Finding(State.RED, NAME, detail)
    if left_over:
        detail = _("%(count)s are of periods that are gone: the worker drops them within the hour")
        yield Finding(State.WAITING, NAME, detail % {"count": f"{len(left_over):,}"})
    if not missing and not left_over:
        count = Period.objects.filter(pk__gte=FIRST_OWN).count()
        detail = _("%(count)s periods have their own") % {"count": f"{count:,}"} if count else _("no period has any")
        yield Finding(State.OK, NAME, detail)

"""The check of ``manage.py doctor`` for replicas that pages are read from."""

from collections.abc import Iterator
from datetime import datetime

from django.utils.translation import gettext as _

from foundation.redis.replicas import look_at_each
from foundation.sunwi_settings import sunwi_settings
from leaderboards.management.findings import Finding, State


def replica_servers(_at: datetime) -> Iterator[Finding]:
    """Tell which replicas pages are read from, how old their answers are at most, and why others are not used."""
    if not sunwi_settings.REPLICA_STALENESS:
        return
    for each in look_at_each():
        told = {"name": each.name, "problem": each.problem, "seconds": f"{each.age or 0:.1f}", "primary": each.primary}
        if not each.problem:
            detail = _("%(name)s is used: at most %(seconds)s s behind")
        elif each.name:
            detail = _("%(name)s is not used: %(problem)s")
        else:
            detail = _("none of %(primary)s is up, or none is named in REPLICA_URLS: pages come from the primary")
        yield Finding(State.WAITING if each.problem else State.OK, "read replicas", detail % told)

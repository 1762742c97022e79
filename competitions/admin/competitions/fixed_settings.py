"""The settings that publishing a competition fixes, in words."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from competitions.admin.competitions.form import FIXED
from competitions.models import Competition
from competitions.selectors.results.review import length_of

Setting = tuple[str, str]  # its name, and what it is
_IN_OWN_SENTENCES = ("board", "starts_at", "ends_at", "timezone")  # in sentences of their own
_TEAM_SETTINGS = ("team_counts", "team_size")


def fixed_by_publishing(competition: Competition) -> list[Setting]:
    """Return all fixed settings except the board and the times, which have their own sentences."""
    hidden = {*_IN_OWN_SENTENCES, *(() if competition.has_teams else _TEAM_SETTINGS)}
    return [_setting(competition, name) for name in FIXED if name not in hidden]


def open_until_final(competition: Competition) -> list[Setting]:
    """Return the settings that may change until the result is final."""
    hours = int(length_of(competition).total_seconds() // 3600)
    review = ngettext("%(number)s hour", "%(number)s hours", hours) % {"number": hours}
    divisions = ", ".join(competition.divisions.values_list("name", flat=True))
    return [(_("review of the result"), review), (_("divisions"), divisions or _("none"))]


def settings_in_words(settings: Iterable[Setting]) -> str:
    """Join settings: ``attempts per player: 3; freeze before the end, minutes: none``."""
    return "; ".join(f"{name}: {value}" for name, value in settings)


def _setting(competition: Competition, name: str) -> Setting:
    field = competition._meta.get_field(name)
    label = str(getattr(field, "verbose_name", name))
    value = getattr(competition, name)
    if value not in (None, ""):
        return label, str(getattr(competition, f"get_{name}_display", lambda: value)())
    return label, {"team_counts": _("all"), "freeze_minutes": _("none"), "team_score": _("none")}.get(
        name, _("no limit")
    )

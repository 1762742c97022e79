"""Describe troubles and waiting work in sentences, in the reader's language."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.console.needs import Need
from config.console.troubles import Trouble

MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class TroubleText:
    """A trouble as text: what is wrong, what still works, and the steps to take."""

    code: str
    grave: bool
    what: str
    works: str
    steps: Sequence[str]


@dataclass(frozen=True, slots=True)
class NeedText:
    """Waiting work of one kind as text: how many, of what, why, and a link with a verb."""

    code: str
    count: int
    what: str
    cause: str
    verb: str
    address: str


def describe_trouble(trouble: Trouble, *, names_boards: bool, is_redis_down: bool = False) -> TroubleText:
    """Describe a trouble. ``names_boards``: whether the reader may see the names of boards.

    ``is_redis_down``: another trouble says that Redis is away or full, so this one must not say that scores are taken.
    """
    what, works, steps = _TROUBLES[trouble.code]()
    if is_redis_down and trouble.code in _WITHOUT_REDIS:
        works = _WITHOUT_REDIS[trouble.code]()
    values = {
        "since": moment(trouble.since) if trouble.since else _("a moment that nobody noted"),
        "boards": _named(trouble.boards, names_boards),
        "works": _named(trouble.works, names_boards),
        "number": trouble.count,
        "seconds": f"{trouble.seconds:+.1f}",
    }
    if not trouble.boards and trouble.code in _WITHOUT_BOARDS:
        what = _WITHOUT_BOARDS[trouble.code]()
    return TroubleText(trouble.code, trouble.grave, what % values, works % values, [each % values for each in steps])


def describe_need(need: Need) -> NeedText:
    """Describe waiting work."""
    what, cause, verb, address = _NEEDS[need.code](need)
    return NeedText(need.code, need.count, what, cause, verb, address)


def may_view(request: HttpRequest, model: str) -> bool:
    """Whether the reader may view or change rows of a model in the admin."""
    app, _point, name = model.partition(".")
    return any(request.user.has_perm(f"{app}.{verb}_{name}") for verb in ("view", "change"))


def moment(at: object) -> str:
    """Format a time; with the date unless it is today."""
    local = timezone.localtime(at)  # type: ignore[arg-type]  # from values(), which has no types
    is_today = local.date() == timezone.localdate()
    return date_format(local, "H:i T") if is_today else date_format(local, "j M H:i T")


def _named(boards: Sequence[str], names_boards: bool) -> str:
    if not names_boards or not boards:
        return ngettext("%(number)s board", "%(number)s boards", len(boards)) % {"number": len(boards)}
    shown = ", ".join(boards[:MOST_NAMED])
    more = len(boards) - MOST_NAMED
    if more <= 0:
        return shown
    return ngettext("%(names)s and %(more)s more", "%(names)s and %(more)s more", more) % {"names": shown, "more": more}


# -- Troubles: what, what still works, what to do -----------------------------------------------------

Words = tuple[str, str, list[str]]


def _redis_away() -> Words:
    return (
        _("Redis has not answered since %(since)s. No scores are taken on: %(boards)s."),
        _("Pages show the standings from SQL. These go on: %(works)s."),
        [
            _("See whether the Redis server of REDIS_URL runs, and whether this machine reaches it."),
            _("Start it again. Its memory comes back from its own files, and what it lacks is put there from SQL."),
            _("Watch the stale periods below: they are gone within a minute, and the boards are live again."),
        ],
    )


def _redis_unknown() -> Words:
    return (
        _("Another Redis answers, which SQL does not know yet. No scores are taken on: %(boards)s."),
        _("Pages show the standings from SQL. These go on: %(works)s."),
        [
            _("Wait for some seconds: the worker makes a new Redis known by writing what it lacks."),
            _("If it stays so, see that the worker runs, and that REDIS_URL does not lead to a replica."),
        ],
    )


def _redis_full() -> Words:
    return (
        _("Redis is full. No scores are taken on: %(boards)s."),
        _("Standings are read as before. These go on: %(works)s."),
        [
            _("Give Redis more memory: raise maxmemory, or move it to a larger machine."),
            _("Shorten how long ended periods stay there, by the setting of each board."),
        ],
    )


def _worker_never() -> Words:
    return _("The worker has never given a sign of life."), _without_worker(), _start_worker()


def _worker_silent() -> Words:
    return _("The worker has been silent since %(since)s."), _without_worker(), _start_worker()


def _without_worker() -> str:
    return _("Scores are taken and ranks are shown. Nothing closes, is told, mailed or sent meanwhile.")


def _start_worker() -> list[str]:
    return [
        _("See whether worker and beat run, and what their logs say last."),
        _("See whether the broker of BROKER_URL answers: without it no task reaches the worker."),
        _("Start them again. What waited is done then, once, in its order."),
    ]


def _clock_off() -> Words:
    return (
        _("This server's clock is %(seconds)s s off SQL's: it takes no scores and no signed requests."),
        _("Pages are shown. Other servers whose clocks are right go on."),
        [_("Correct the time service (NTP) of this machine, or of the one with SQL.")],
    )


def _worker_clock_off() -> Words:
    return (
        _("The worker's clock is %(seconds)s s off SQL's: nothing closes, freezes or is rewarded."),
        _("Scores are taken and ranks are shown."),
        [_("Correct the time service (NTP) of the worker's machine.")],
    )


def _stale() -> Words:
    return (
        _("Not live since %(since)s: %(boards)s. Redis lacks something of theirs."),
        _("Scores are taken. Pages show the standings from SQL, and say so."),
        [
            _("Wait for a moment: the worker resyncs them by itself. A period's page says how far it is."),
            _("If the time does not change, see that the worker runs, and run: manage.py rebuild --board NUMBER"),
        ],
    )


def _never_mirrored() -> Words:
    return (
        _("Scores were never copied to SQL on: %(boards)s."),
        _("Scores are taken and ranks are shown. Only Redis has them."),
        [_("See that worker and beat run: they copy each second. Do not empty Redis before.")],
    )


def _mirror_late() -> Words:
    return (
        _("Scores were last copied to SQL at %(since)s on: %(boards)s."),
        _("Scores are taken and ranks are shown. What is newer, only Redis has."),
        [
            _("See that worker and beat run: they copy each second. Do not empty Redis before."),
            _("Open dead letters may hold what SQL refuses: look there too."),
        ],
    )


def _unclosed() -> Words:
    return (
        _("Periods that should be final by now: %(number)s, the first since %(since)s."),
        _("Scores are taken and ranks are shown. Final ranks and rewards wait."),
        [
            _("See that worker and beat run: they close within seconds."),
            _("Periods of boards that Redis decides over wait until Redis answers."),
        ],
    )


_TROUBLES: dict[str, Callable[[], Words]] = {
    "redis_away": _redis_away, "redis_unknown": _redis_unknown, "redis_full": _redis_full,
    "worker_never": _worker_never, "worker_silent": _worker_silent, "clock_off": _clock_off,
    "worker_clock_off": _worker_clock_off, "stale": _stale, "never_mirrored": _never_mirrored,
    "mirror_late": _mirror_late, "unclosed": _unclosed,
}  # fmt: skip  # as a list
# What still works, where another trouble says which boards take scores.
_WITHOUT_REDIS: dict[str, Callable[[], str]] = {
    "worker_never": lambda: _("Nothing closes, is told, mailed or sent meanwhile."),
    "worker_silent": lambda: _("Nothing closes, is told, mailed or sent meanwhile."),
    "worker_clock_off": lambda: _("Ranks are shown, from SQL where Redis is away."),
    "stale": lambda: _("Pages show the standings from SQL, and say so."),
    "never_mirrored": lambda: _("Only Redis has these scores."),
    "mirror_late": lambda: _("What is newer, only Redis has."),
    "unclosed": lambda: _("Final ranks and rewards wait."),
}
# Used if no board is stored in Redis, so that none stops.
_WITHOUT_BOARDS: dict[str, Callable[[], str]] = {
    "redis_away": lambda: _("Redis has not answered since %(since)s. Every board goes on, from SQL."),
    "redis_unknown": lambda: _("Another Redis answers, which SQL does not know yet. Every board goes on."),
    "redis_full": lambda: _("Redis is full. Every board goes on, from SQL."),
}


# -- What waits: what, why, verb, where ---------------------------------------------------------------

NeedWords = tuple[str, str, str, str]


def _list(model: str, query: str = "") -> str:
    return reverse(f"admin:{model.replace('.', '_')}_changelist") + query


def _result(need: Need) -> NeedWords:
    what = ngettext("Result to confirm", "Results to confirm", need.count)
    cause = _("%(name)s is over") % need.facts
    if need.count == 1:
        return what, cause, _("Look"), reverse("admin:competitions_competition_change", args=[need.facts["pk"]])
    return what, cause, _("Look"), _list(need.model, "?state=to_confirm")


def _reveal(need: Need) -> NeedWords:
    what = ngettext("Result to reveal", "Results to reveal", need.count)
    cause = _("%(name)s is over, behind its freeze") % need.facts
    return what, cause, _("Reveal"), reverse("admin:competitions_competition_change", args=[need.facts["pk"]])


def _draft(need: Need) -> NeedWords:
    what = ngettext("Start in the past", "Starts in the past", need.count)
    cause = _("Draft “%(name)s” was to start %(when)s") % {**need.facts, "when": moment(need.facts["starts_at"])}
    return what, cause, _("Correct"), reverse("admin:competitions_competition_change", args=[need.facts["pk"]])


def _quarantined(need: Need) -> NeedWords:
    facts = {"board": need.facts["board__name"], "player": need.facts["player__external_id"]}
    what = ngettext("Quarantined score", "Quarantined scores", need.count)
    when = _("%(player)s on %(board)s, since %(when)s") % (facts | {"when": moment(need.facts["created_at"])})
    return what, when, _("Judge"), _list(need.model)


def _difference(need: Need) -> NeedWords:
    facts = need.facts
    cause = f"{facts['period__board__name']} {facts['period__label']}: {facts['player']}"
    what = ngettext("Standing that differs", "Standings that differ", need.count)
    return what, cause, _("Compare"), _list(need.model, "?repaired__exact=0")


def _dead_letter(need: Need) -> NeedWords:
    reason = Truncator(need.facts["reason"].partition("\n")[0]).chars(60)
    cause = f"{need.facts['subject']}: {reason}"
    what = ngettext("Dead letter", "Dead letters", need.count)
    return what, cause, _("Retry"), _list(need.model, "?resolved_at__isempty=1")


def _webhook(need: Need) -> NeedWords:
    status = need.facts["last_status"]
    facts = {"name": need.facts["endpoint__name"], "status": status or _("no answer")}
    what = ngettext("Webhook message given up", "Webhook messages given up", need.count)
    return what, _("to %(name)s: %(status)s") % facts, _("Send again"), _list(need.model, "?state=dead_at")


def _endpoint(need: Need) -> NeedWords:
    what = ngettext("Webhook endpoint that is off", "Webhook endpoints that are off", need.count)
    waiting = need.facts["waiting"]
    cause = ngettext("%(name)s: %(waiting)s message waits", "%(name)s: %(waiting)s messages wait", waiting) % need.facts
    address = reverse("admin:foundation_webhookendpoint_change", args=[need.facts["pk"]])
    return what, cause, _("Look"), address


_NEEDS: dict[str, Callable[[Need], NeedWords]] = {
    "result": _result, "reveal": _reveal, "draft": _draft, "quarantined": _quarantined, "difference": _difference,
    "dead_letter": _dead_letter, "webhook": _webhook, "endpoint": _endpoint,
}  # fmt: skip  # as a list

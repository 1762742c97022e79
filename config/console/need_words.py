"""Describe the work that waits for staff: how much, of what, why, and where it is done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.console.needs import Need
from config.console.words import moment

NeedWords = tuple[str, str, str, str]  # what, why, verb, where


@dataclass(frozen=True, slots=True)
class NeedText:
    """Waiting work of one kind as text: how many, of what, why, and a link with a verb.

    ``acts`` are links to what can be done with the first of it, with their labels.
    """

    code: str
    count: int
    what: str
    cause: str
    verb: str
    address: str
    acts: Sequence[tuple[str, str]] = ()


def describe_need(need: Need) -> NeedText:
    """Describe waiting work."""
    what, cause, verb, address = _NEEDS[need.code](need)
    acts = _acts_of_report(need) if need.code == "reported" else ()
    return NeedText(need.code, need.count, what, cause, verb, address, acts)


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


def _reported(need: Need) -> NeedWords:
    facts = need.facts
    text, reason = (Truncator(" ".join(facts[name].split())).chars(60) for name in ("comment__text", "reason"))
    cause = _("“%(text)s” in %(name)s: %(reason)s") % {
        "text": text, "name": facts["comment__competition__name"], "reason": reason,
    }  # fmt: skip  # as a table
    what = ngettext("Reported comment", "Reported comments", need.count)
    return what, cause, _("Judge"), _list(need.model, "?reports=open")


def _acts_of_report(need: Need) -> tuple[tuple[str, str], ...]:
    """Return what can be done with the comment that was reported first, on its page."""
    where = [need.facts["comment__competition_id"], need.facts["comment_id"]]
    return (_("Hide"), reverse("comment-hide", args=where)), (_("Dismiss"), reverse("comment-dismiss", args=where))


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
    "result": _result, "reveal": _reveal, "draft": _draft, "quarantined": _quarantined, "reported": _reported,
    "difference": _difference,
    "dead_letter": _dead_letter, "webhook": _webhook, "endpoint": _endpoint,
}  # fmt: skip  # as a list

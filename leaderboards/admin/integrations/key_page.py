"""What the page of a service key says: what it may do and where, who made it, its last use, and how to replace it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from foundation.audit.models import AuditEntry
from foundation.audit.row_values import subject_kind
from foundation.models import ServiceKey
from leaderboards import formats
from leaderboards.admin.audit_log.values import actor_name
from leaderboards.admin.base.permissions import may_see
from leaderboards.admin.integrations.ready_curl import curl_of
from leaderboards.admin.integrations.scope_words import scope_in_words
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import Board

Fact = tuple[str, str | SafeString]
MADE = "service_key.made"


@dataclass(frozen=True, slots=True)
class KeyHead:
    """``sign`` is the shape beside the sentence; ``curl`` is empty for a key that demands signatures."""

    sign: str
    sentence: str
    facts: list[Fact]
    curl: str
    successor: str


def key_head(request: HttpRequest, key: ServiceKey, at: datetime) -> KeyHead:
    """Return what is known of a key at ``at`` (UTC), never its secret."""
    _word, sign, sentence = state_of(key, at)
    return KeyHead(sign, sentence, list(_facts(request, key, at)), curl_of(key), _successor(key))


def state_of(key: ServiceKey, at: datetime) -> tuple[str, str, str]:
    """Return the state of a key as a word, the name of its sign, and a sentence."""
    if key.revoked_at:
        sentence = _("Revoked since %(when)s: every request with it is refused.")
        return _("revoked"), "bad", sentence % {"when": in_utc(key.revoked_at)}
    if not key.is_live(at):
        sentence = _("Expired since %(when)s: every request with it is refused.")
        return _("expired"), "bad", sentence % {"when": in_utc(key.expires_at)}
    if key.last_used_at is None:
        return _("live"), "good", _("Live: requests with it are taken. It was never used yet.")
    return _("live"), "good", _("Live: requests with it are taken.")


def board_names(keys: Collection[ServiceKey]) -> Mapping[int, str]:
    """Return the names of the boards that these keys are limited to, by number."""
    numbers = {number for key in keys for number in key.boards or ()}
    return dict(Board.objects.filter(pk__in=numbers).values_list("pk", "name")) if numbers else {}


def limit_in_words(key: ServiceKey) -> str:
    """Return how many requests a key may make: 100 requests in 10 s."""
    if key.limit is None:
        return _("as many requests as the site allows each key")
    words = {"number": formats.number(key.limit.requests), "time": formats.whole_duration(key.limit.seconds)}
    text = ngettext("%(number)s request in %(time)s", "%(number)s requests in %(time)s", key.limit.requests)
    return text % words


def _facts(request: HttpRequest, key: ServiceKey, at: datetime) -> Iterator[Fact]:
    yield _("It may"), _scopes(key)
    yield _("On"), _boards(key)
    yield _("Begins with"), format_html("<code>sunwi_{}_…</code>", key.prefix)
    yield _("Last used"), _ago(key.last_used_at, at) if key.last_used_at else _("never yet")
    yield pgettext("a key", "Made"), _made(request, key)
    yield _("Expires"), _expires(key, at)
    yield _("Limit"), limit_in_words(key)
    yield from _demands(key, at)


def _scopes(key: ServiceKey) -> SafeString:
    lines = ((scope_in_words(scope), scope) for scope in key.scopes)
    return format_html("<ul>{}</ul>", format_html_join("", "<li>{} <code>{}</code></li>", lines))


def _boards(key: ServiceKey) -> SafeString | str:
    if key.boards is None:
        return _("every board, also those made later")
    names = board_names([key])
    links = ((reverse("admin:leaderboards_board_change", args=[each]), names.get(each, each)) for each in key.boards)
    return format_html_join(", ", '<a href="{}">{}</a>', links)


def _ago(when: datetime, at: datetime) -> str:
    passed = int((at - when).total_seconds())
    words = {"when": in_utc(when), "time": formats.time_left(max(0, passed))}
    return _("within the last minutes") if passed < 120 else _("%(when)s, %(time)s ago") % words


def _made(request: HttpRequest, key: ServiceKey) -> str:
    """When, and by whom as far as the audit log knows and its reader may read it."""
    when = in_utc(key.created_at)
    if not may_see(request, AuditEntry):
        return when
    kind = subject_kind(ServiceKey)
    made = AuditEntry.objects.filter(act=MADE, subjects__kind=kind, subjects__key=str(key.pk)).first()
    return when if made is None else f"{when} · {actor_name(made)}"


def _expires(key: ServiceKey, at: datetime) -> str:
    if key.expires_at is None:
        return _("never, until it is revoked")
    if key.expires_at <= at:
        return in_utc(key.expires_at)
    left = formats.time_left(int((key.expires_at - at).total_seconds()))
    return _("%(when)s, in %(time)s") % {"when": in_utc(key.expires_at), "time": left}


def _demands(key: ServiceKey, at: datetime) -> Iterator[Fact]:
    if key.is_signed:
        text = _("each request must be signed with its secret")
        if key.previous_signing_until and key.previous_signing_until > at:
            also = _("the secret before it signs until %(when)s") % {"when": in_utc(key.previous_signing_until)}
            text = f"{text}; {also}"
        yield _("Signatures"), text
    yield _("Used from"), ", ".join(key.addresses) if key.addresses else _("anywhere")


def _successor(key: ServiceKey) -> str:
    """Return the address of the form of a new key that has the same name and may do the same."""
    typed = {"name": key.name, "scopes": ",".join(key.scopes), "boards": ",".join(map(str, key.boards or ()))}
    return f"{reverse('admin:foundation_servicekey_add')}?{urlencode(typed)}"

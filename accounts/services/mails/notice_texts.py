"""The texts of notices about changes, in the active language: what changed, the details, and who did it."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.template.defaultfilters import yesno
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import AccountMail, MailKind
from foundation.users import user_model

SAID: Mapping[str, Promise] = {
    MailKind.PASSWORD_CHANGED: _("The password was changed."),
    MailKind.ADDRESS_CHANGED: _("The e-mail address was changed. Mails about the account now go to the new one."),
    MailKind.ADDRESS_EMPTIED: _("The e-mail address was taken away. No more mails about the account are sent."),
    MailKind.ADDRESS_BACK: _(
        "The e-mail address of before was put back, by a link that was mailed there. All sessions are over, and the "
        "password of until now does not count any more."
    ),
    MailKind.FACTOR_ADDED: _("A second factor was set up."),
    MailKind.FACTOR_REMOVED: _("A second factor was taken away."),
    MailKind.CODES_MADE: _("New recovery codes were made; earlier ones no longer count."),
    MailKind.RECOVERY_CODE: _("A recovery code was used."),
    MailKind.CODE_REUSED: _("A code of the authenticator app was sent a second time, and refused."),
    MailKind.MADE: _("The account was made."),
    MailKind.RIGHTS: _("What the account may do on the site was changed."),
    MailKind.DEACTIVATED: _("The account was deactivated: nobody can sign in to it."),
    MailKind.ACTIVATED: _("The account is active again."),
    MailKind.DELETED: _("The account was deleted."),
    MailKind.PLAYER_GIVEN: _("A player was linked to the account by hand."),
    MailKind.PLAYER_TAKEN: _("A player was taken away from the account by hand."),
}
_BY = {
    True: _("It was done by you, or by somebody who was signed in as you or reads your mails."),
    False: _("It was done by those who run the site."),
    None: "",
}


def words(row: AccountMail) -> dict[str, object]:
    """The template's variables ``what``, ``details`` (a list of lines) and ``by``."""
    details = [" ".join(line.split()) for line in _details(row.note)]  # user input is kept on one line
    return {"what": SAID[row.kind], "details": details, "by": _BY[row.by_owner]}


def _details(note: Mapping[str, Any]) -> Iterator[str]:
    for each in note.get("factors", [note] if "factor" in note else []):
        yield _factor(each)
    for name, value in note.get("rights", {}).items():
        text = yesno(value) if isinstance(value, bool) else ", ".join(value) or "–"
        yield f"{user_model()._meta.get_field(name).verbose_name}: {text}"  # type: ignore[union-attr]  # each is a field
    if "player" in note:
        yield note["player"]


def _factor(note: Mapping[str, Any]) -> str:
    if note["factor"] == "app":
        return gettext("Authenticator app")
    if note["factor"] == "codes":
        return gettext("Recovery codes")
    return gettext("Passkey “%(name)s”") % {"name": note.get("name", "")}

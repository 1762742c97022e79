"""Errors of accounts and signing in. Their details are marked for translation, because pages show them."""

from foundation.errors import Conflict, Invalid, NotFound


class WrongCode(Invalid):
    """A code of an authenticator app or a recovery code that is wrong, too old, or used."""

    code = "wrong_code"


class BadPasskey(Invalid):
    """A passkey's answer that is invalid."""

    code = "bad_passkey"


class LastFactor(Conflict):
    """The only second factor of an account that must have one."""

    code = "last_factor"


class NoLongerValid(NotFound):
    """A link that was used, revoked or has expired."""

    code = "link_expired"


class AlreadyTaken(Conflict):
    """An e-mail address or a name that another account has."""

    code = "taken"


class StillHidden(Conflict):
    """A person's data would reveal results that are not public yet."""

    code = "still_hidden"


class StaffStay(Conflict):
    """Staff cannot delete their own accounts."""

    code = "staff_stay"


class ExcludedPlayer(Conflict):
    """A player who is banned, hidden or disqualified cannot erase themselves."""

    code = "kept_out"

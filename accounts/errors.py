"""What signing in and accounts can refuse, one class each. Details are marked: pages show them translated."""

from foundation.errors import Conflict, Invalid, NotFound


class WrongCode(Invalid):
    """A code of an authenticator app or a recovery code that does not count: wrong, too old, or used."""

    code = "wrong_code"


class BadPasskey(Invalid):
    """A passkey's answer that cannot be accepted."""

    code = "bad_passkey"


class LastFactor(Conflict):
    """The only second factor of somebody who must have one."""

    code = "last_factor"


class NoLongerValid(NotFound):
    """A link that was used, taken back or has expired."""

    code = "link_expired"


class AlreadyTaken(Conflict):
    """An e-mail address or a name that another account has."""

    code = "taken"


class StillHidden(Conflict):
    """A person's data would tell of results that nobody may see yet."""

    code = "still_hidden"


class StaffStay(Conflict):
    """Staff do not delete their own accounts."""

    code = "staff_stay"


class ExcludedPlayer(Conflict):
    """Who is banned, hidden or disqualified does not erase their own player."""

    code = "kept_out"

"""Which language the owner of an account reads mails in: as they asked in an app above, else the site's.

Never that of the page on which something was changed: that is staff's there, or a thief's.
"""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.models import User

Asked = Callable[[User], str]
_asked: list[Asked] = []


def provide(asked: Asked) -> None:
    """Have ``asked`` say which language an account asked for, empty where it did not. Asking twice changes nothing."""
    if asked not in _asked:
        _asked.append(asked)


def language_of(user: User) -> str:
    """The code of a language that this site has."""
    wished = (asked(user) for asked in _asked)
    return next((each for each in wished if each in dict(settings.LANGUAGES)), settings.LANGUAGE_CODE)

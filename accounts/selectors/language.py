"""The language of mails to an account: the one that the owner chose, which other apps know, else the site's.

Never the language of the current page: a change may be made by staff or a thief.
"""

from collections.abc import Callable

from django.conf import settings

from foundation.users import User

ChosenLanguage = Callable[[User], str]
_providers: list[ChosenLanguage] = []


def provide(chosen: ChosenLanguage) -> None:
    """Register a function that returns the language an account chose, or an empty text. Twice has no effect."""
    if chosen not in _providers:
        _providers.append(chosen)


def language_of(user: User) -> str:
    """The code of one of the site's languages."""
    chosen = (provider(user) for provider in _providers)
    return next((code for code in chosen if code in dict(settings.LANGUAGES)), settings.LANGUAGE_CODE)

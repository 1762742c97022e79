"""The headline of an admin's form: the name of the row, where Django would say "Change board" larger than the name."""

from typing import Any

from django import template
from django.utils.translation import gettext

register = template.Library()


@register.filter
def says_only_what_it_does(title: object, opts: Any) -> bool:
    """Return whether a page's title is Django's own for the form of a row, and so names no row."""
    usual = ("Change %s", "View %s")
    return bool(opts) and str(title) in {gettext(each) % opts.verbose_name for each in usual}

"""A template engine for the texts of mails, which knows only the translation tags.

The engine of pages imports the tags of every app, and with them most views; a worker that sends a mail needs none.
"""

from django.template import Engine

from foundation import file_locations

TEXTS = Engine([str(file_locations.folder("templates"))], libraries={"i18n": "django.templatetags.i18n"})

"""The texts of mails have an engine of their own, with the tags of translation alone.

That of pages loads the tags of every app as it starts, and with them most pages into a worker that sends a mail.
"""

from django.template import Engine

from foundation import file_locations

TEXTS = Engine([str(file_locations.folder("templates"))], libraries={"i18n": "django.templatetags.i18n"})

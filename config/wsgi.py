"""What a WSGI server loads: `granian --interface wsgi config.wsgi:application`."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.cache import close_caches
from django.core.signals import request_finished
from django.core.wsgi import get_wsgi_application

from foundation.http.content_types import reject_unreadable_charsets
from foundation.http.request_bodies import Application, drain_request_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application: Application = reject_unreadable_charsets(get_wsgi_application())
import_module(settings.ROOT_URLCONF)  # now, and not with the first request
if settings.TRUSTED_PROXIES:
    application = drain_request_bodies(application)

# The caches keep their connections: there is nothing to close after each request, and asking takes its time.
request_finished.disconnect(close_caches)

# What has been loaded stays: the collector need not look through it again and again.
gc.collect()
gc.freeze()
# A request of a thousand entries makes objects enough to call it a hundred times, and leaves none of them behind.
gc.set_threshold(20_000, 10, 10)

"""The WSGI application: `granian --interface wsgi config.wsgi:application`."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.cache import close_caches
from django.core.signals import request_finished
from django.core.wsgi import get_wsgi_application

from foundation.http.content_types import reject_unreadable_charsets
from foundation.http.request_bodies import Application, drain_request_bodies
from foundation.monitoring import metric_files
from foundation.sunwi_settings import sunwi_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application: Application = reject_unreadable_charsets(get_wsgi_application())
import_module(settings.ROOT_URLCONF)  # at startup instead of with the first request
metric_files.serve()
if sunwi_settings.TRUSTED_PROXIES:
    application = drain_request_bodies(application)

# The caches keep their connections, so closing them after each request would only cost time.
request_finished.disconnect(close_caches)

# Exclude the loaded modules from garbage collection: they stay in memory anyway.
gc.collect()
gc.freeze()
# A request of a thousand entries creates enough objects for a hundred collections, and leaves no garbage.
gc.set_threshold(20_000, 10, 10)

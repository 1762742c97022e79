"""What a WSGI server loads: `granian --interface wsgi config.wsgi:application`."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

# What has been loaded stays: the collector need not look through it again and again.
gc.collect()
gc.freeze()

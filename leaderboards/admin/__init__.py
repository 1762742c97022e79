"""Django's own admin over boards, periods, players, scores and service keys; staff only.

Each part registers itself. What changes more than one row goes through a service.
"""

from django.contrib import admin

from leaderboards.admin import boards, periods, players, scores, service_keys

admin.site.site_header = admin.site.site_title = "Sunwi"

__all__ = ["boards", "periods", "players", "scores", "service_keys"]

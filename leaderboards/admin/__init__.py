"""Django's own admin over accounts, boards, imports, players, scores, keys, webhooks and what went wrong; staff only.

Each part registers itself. What changes more than one row goes through a service.
"""

from django.contrib import admin

from leaderboards.admin import (
    accounts,
    audit,
    boards,
    imports,
    invitations,
    periods,
    players,
    purges,
    quarantine,
    restriction_list,
    scores,
    service_keys,
    standings,
    trouble,
    webhook_deliveries,
    webhooks,
)

admin.site.site_header = admin.site.site_title = "Sunwi"

__all__ = [
    "accounts",
    "audit",
    "boards",
    "imports",
    "invitations",
    "periods",
    "players",
    "purges",
    "quarantine",
    "restriction_list",
    "scores",
    "service_keys",
    "standings",
    "trouble",
    "webhook_deliveries",
    "webhooks",
]

"""The public page about which personal data is stored."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Show the retention times, and a link to the operators' own page (``PRIVACY_URL``)."""
    context = {
        "more": settings.PRIVACY_URL,
        "log_days": settings.AUDIT_KEEP_DAYS,
        "record_days": settings.KEEP_RECORDS_DAYS,
        "webhook_days": settings.WEBHOOK_KEEP_DAYS,
    }
    return render(request, "accounts/privacy.html", context)

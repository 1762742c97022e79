"""The public page about which personal data is stored."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from foundation.sunwi_settings import sunwi_settings


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Show the retention times, and a link to the operators' own page (``PRIVACY_URL``)."""
    context = {
        "more": sunwi_settings.PRIVACY_URL,
        "log_days": sunwi_settings.AUDIT_KEEP_DAYS,
        "record_days": sunwi_settings.KEEP_RECORDS_DAYS,
        "webhook_days": sunwi_settings.WEBHOOK_KEEP_DAYS,
    }
    return render(request, "accounts/privacy.html", context)

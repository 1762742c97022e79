"""What is kept about people, on a page that anybody may read before they make an account."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """What, and until when; and where those who run the site say more (``PRIVACY_URL``)."""
    said = {
        "more": settings.PRIVACY_URL,
        "log_days": settings.AUDIT_KEEP_DAYS,
        "record_days": settings.KEEP_RECORDS_DAYS,
        "webhook_days": settings.WEBHOOK_KEEP_DAYS,
    }
    return render(request, "accounts/privacy.html", said)

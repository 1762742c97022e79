"""The pages that say 403 and 404: within the admin's frame for staff who are in the admin, else the site's."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseNotFound
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.defaults import page_not_found, permission_denied


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a ``PermissionDenied``; Django calls it (``handler403``)."""
    if not _is_staff_in_admin(request):
        return permission_denied(request, exception)
    return HttpResponseForbidden(_in_admin(request, "admin/console/403.html", _("This is not for you to see")))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an ``Http404``; Django calls it (``handler404``)."""
    if not _is_staff_in_admin(request):
        return page_not_found(request, exception)
    return HttpResponseNotFound(_in_admin(request, "admin/console/404.html", _("There is no such page")))


def _is_staff_in_admin(request: HttpRequest) -> bool:
    user = getattr(request, "user", None)  # none where an earlier middleware found nothing
    return user is not None and user.is_staff and request.path.startswith(reverse("admin:index"))


def _in_admin(request: HttpRequest, template: str, title: str) -> str:
    return render_to_string(template, {**admin.site.each_context(request), "title": title}, request)

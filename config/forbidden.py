"""The page that says 403: within the admin's frame for staff who are in the admin, else the site's."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.defaults import permission_denied


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a ``PermissionDenied``; Django calls it (``handler403``)."""
    if not (request.path.startswith(reverse("admin:index")) and request.user.is_staff):
        return permission_denied(request, exception)
    context = {**admin.site.each_context(request), "title": _("This is not for you to see")}
    return HttpResponseForbidden(render_to_string("admin/console/403.html", context, request))

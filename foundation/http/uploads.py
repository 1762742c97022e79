"""Limit the size of forms by ``Content-Length``, before the body is read or stored on disk.

Django reads the whole body to find the CSRF token, so that even a request without a valid token could fill the disk.
This middleware must come before ``CsrfViewMiddleware``. The API limits its own bodies.
"""

from collections.abc import Callable
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import TooManyFilesSent
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from foundation.http.fast_path import is_of_api
from foundation.sunwi_settings import sunwi_settings


class BodySizeLimit:
    """413 for a body that is too long, 411 for one without a length."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """The error response; None if the body may be read."""
        if is_of_api(request):
            return None
        length = request.META.get("CONTENT_LENGTH") or ""
        if not length and "HTTP_TRANSFER_ENCODING" in request.META:
            return _refuse(411, _("Send the form with its length, not in chunks."))
        most = cast("int | None", settings.DATA_UPLOAD_MAX_MEMORY_SIZE)  # None, for no bound, is not in its type
        if most is None or not length.isdigit() or int(length) <= most:
            return None
        if int(length) <= sunwi_settings.LARGEST_UPLOAD and takes_files(request):
            return None
        return _refuse(413, _("This is too long to be taken."))


class RejectUnexpectedFiles(FileUploadHandler):
    """Refuse a file with 400 unless the form has a file field."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Raise ``TooManyFilesSent`` unless the form takes files."""
        if self.request is None or not takes_files(self.request):
            raise TooManyFilesSent("This form takes no files.")
        super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, _start: int) -> bytes:
        """Pass the data to the next handler."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Do nothing: the next handler has the file."""


def takes_files(request: HttpRequest) -> bool:
    """Whether the view has a file field (``FORMS_WITH_FILES``) and the user is staff with a permission for it."""
    match = request.resolver_match
    user = getattr(request, "user", None)
    if match is None or user is None or match.view_name not in sunwi_settings.FORMS_WITH_FILES:
        return False
    return bool(user.is_staff and any(user.has_perm(each) for each in sunwi_settings.FORMS_WITH_FILES[match.view_name]))


def _refuse(status: int, detail: str) -> HttpResponse:
    return HttpResponse(detail, status=status, content_type="text/plain; charset=utf-8")

"""How much a page takes: judged by what is declared, before anything of the body is read or laid on a disk.

Django reads a form's body as soon as it looks for the CSRF token, and no further than was declared; so anybody who is
refused for that token would have filled the disk. Stands before ``CsrfViewMiddleware``. The API judges its own bodies.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import TooManyFilesSent
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from foundation.http.page_middleware import API


class BodySizeLimit:
    """413 for a body that is too long, 411 for one that does not say how long it is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """The refusal; None where the body may be read."""
        if request.path_info.startswith(API):
            return None
        length = request.META.get("CONTENT_LENGTH") or ""
        if not length and "HTTP_TRANSFER_ENCODING" in request.META:
            return _refused(411, _("Send the form with its length, not in chunks."))
        if not length.isdigit() or int(length) <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            return None
        if int(length) <= settings.LARGEST_UPLOAD and takes_files(request):
            return None
        return _refused(413, _("This is too long to be taken."))


class RejectUnexpectedFiles(FileUploadHandler):
    """Refuses a file, with 400, wherever none is asked for."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Raise ``TooManyFilesSent`` unless the form takes files."""
        if self.request is None or not takes_files(self.request):
            raise TooManyFilesSent("This form takes no files.")
        super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, _start: int) -> bytes:
        """It goes to the next handler."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """The next handler has the file."""


def takes_files(request: HttpRequest) -> bool:
    """Whether a form with a field for files (``FORMS_WITH_FILES``) was asked by staff with a permission for it."""
    found = request.resolver_match
    user = getattr(request, "user", None)
    if found is None or user is None or found.view_name not in settings.FORMS_WITH_FILES:
        return False
    return bool(user.is_staff and any(user.has_perm(each) for each in settings.FORMS_WITH_FILES[found.view_name]))


def _refused(status: int, detail: str) -> HttpResponse:
    return HttpResponse(detail, status=status, content_type="text/plain; charset=utf-8")

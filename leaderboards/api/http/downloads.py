"""Streamed file downloads; a file that never changes again has an ETag and is cached."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase

from foundation.http.encoding import when
from leaderboards.api.http.responses import not_modified, with_etag
from leaderboards.selectors.exports.cached_files import CachedFile, cache_file, compress_file, read_cached_file
from leaderboards.selectors.exports.export_slots import ExportSlot

CSV = "text/csv; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Download:
    """A file. Each call of ``read`` starts anew: it returns the time of the data, and the content in parts."""

    name: str
    content_type: str
    private: bool
    read: Callable[[], tuple[datetime, Iterator[bytes]]]

    def open(self) -> HttpResponseBase:
        """The response for data that still changes: nothing caches it."""
        with ExportSlot() as slot:
            response = self._stream(slot)
        response["Cache-Control"] = "private, no-store" if self.private else "no-store"
        return response

    def final(self, request: HttpRequest, stamp: Callable[[], str] | None = None) -> HttpResponseBase:
        """The response for data that never changes, with its ETag; with a ``stamp`` the file is cached under it."""
        cached = read_cached_file(stamp()) if stamp else None
        if cached is not None and (response := not_modified(request, cached.tag)):
            return self._with_headers(response, cached)
        with ExportSlot() as slot:
            file = cached or self._compress(stamp)
            if response := not_modified(request, file.tag):
                return self._with_headers(response, file)
            stream = self._stream(slot, None if file.packed is None else file)
        return with_etag(stream, file.tag, self.private)

    def _compress(self, stamp: Callable[[], str] | None) -> CachedFile:
        before = stamp() if stamp else None
        as_of, parts = self.read()
        file = compress_file(as_of, parts)
        if stamp and before == stamp():  # else the data changed meanwhile
            cache_file(before, file)
        return file

    def _with_headers(self, response: HttpResponseBase, file: CachedFile) -> HttpResponseBase:
        response["As-Of"] = when(file.as_of)
        return with_etag(response, file.tag, self.private)

    def _stream(self, slot: ExportSlot, file: CachedFile | None = None) -> StreamingHttpResponse:
        as_of, parts = self.read() if file is None else (file.as_of, file.parts())
        # The first part is read here, so that an early error becomes a proper response instead of a broken download.
        content = slot.hold_while_streaming(chain([next(parts)], parts))
        response = StreamingHttpResponse(content, content_type=self.content_type)
        response["Content-Disposition"] = f'attachment; filename="{self.name}"'
        response["As-Of"] = when(as_of)
        return response

"""Bodies that nobody asked for: what a proxy sends is taken in to its end, also where the answer is there before."""

from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
PIECE = 64 * 1024


def drain_request_bodies(site: Application) -> Application:
    """``site``, which refuses some requests without reading them, and then takes in what is left of their bodies.

    Else the server closes the connection under a proxy that is still sending, which then hears no answer. Only for
    bodies that a proxy has whole: anybody else could send slowly, and hold the thread. At most ``LARGEST_UPLOAD``
    bytes are read.
    """

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        content = site(environ, start_response)
        left = settings.LARGEST_UPLOAD if environ.get("CONTENT_LENGTH") else 0
        while left > 0 and (piece := environ["wsgi.input"].read(PIECE)):
            left -= len(piece)
        return content

    return answer

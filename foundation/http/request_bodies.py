"""Read the rest of a request body that the view did not read, because a proxy still sends it."""

from collections.abc import Callable, Iterable
from typing import Any

from foundation.sunwi_settings import sunwi_settings

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
PIECE = 64 * 1024


def drain_request_bodies(site: Application) -> Application:
    """Wrap the WSGI application ``site``: after the answer, read what is left of the body, up to ``LARGEST_UPLOAD``.

    Otherwise the server closes the connection while the proxy still sends, and the proxy never reads the answer. Use it
    only behind a proxy that buffers whole bodies: other clients could send slowly and block the thread.
    """

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        content = site(environ, start_response)
        left = sunwi_settings.LARGEST_UPLOAD if environ.get("CONTENT_LENGTH") else 0
        while left > 0 and (piece := environ["wsgi.input"].read(PIECE)):
            left -= len(piece)
        return content

    return answer

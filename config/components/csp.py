"""The Content Security Policy: pages load only from this site, and nothing inline."""

from wsgiref.headers import Headers

from csp.constants import HEADER, NONE, SELF

DIRECTIVES = {
    "default-src": [NONE],
    "script-src": [SELF],
    "style-src": [SELF],
    # data: for the icons in the style sheets of the API's documentation.
    "img-src": [SELF, "data:"],
    "font-src": [SELF],
    "connect-src": [SELF],
    "manifest-src": [SELF],
    "base-uri": [NONE],
    "form-action": [SELF],
    "frame-ancestors": [NONE],
}


def of_static_file(headers: Headers, _path: str, _url: str) -> None:
    """Give a picture, font, sheet or script a policy that allows nothing: a page with twenty flags is 4 KB lighter."""
    headers[HEADER] = "default-src 'none'; frame-ancestors 'none'"

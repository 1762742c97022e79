"""The Content Security Policy: pages load only from this site, and nothing inline."""

from csp.constants import NONE, SELF

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

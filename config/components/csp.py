"""What a page may load, and from where: from this site alone, and nothing written into the page itself."""

from csp.constants import NONE, SELF

DIRECTIVES = {
    "default-src": [NONE],
    "script-src": [SELF],
    "style-src": [SELF],
    # data: for the small icons inside the style sheets of the API's documentation.
    "img-src": [SELF, "data:"],
    "font-src": [SELF],
    "connect-src": [SELF],
    "manifest-src": [SELF],
    "base-uri": [NONE],
    "form-action": [SELF],
    "frame-ancestors": [NONE],
}

"""Every address of the site with examples, for tests that walk all of it. Whoever adds an address adds its examples.

``{c}`` is a competition, ``{comment}`` one of its comments, ``{board}`` its board, ``{other}`` a calendar board;
``{picture}`` is the competition's picture;
an example with ``{player}`` is one for each player.
"""

import re
from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from config.docs import BASE_PATH
from leaderboards.api import api

ADMIN = "admin/"
PLAYERS = ("ann", "bob", "cleo", "dan", "stranger")
PARTS = ("", "?fragment=1", "?page=2", "?player=bob", "?fragment=1&player=bob")
LABELS = ("c{c}", "c{c}-frozen", "current")
SAID = "/competitions/{c}/comments/"
BOARD, OTHER, CUP = "/api/v1/boards/{board}", "/api/v1/boards/{other}", "/api/v1/competitions/{c}"


def _by_label(address: str) -> list[str]:
    """The labels of periods by which somebody may try to get round the competition."""
    return [address + label for label in LABELS]


EXAMPLES: dict[str, tuple[str, ...]] = {
    "": ("/", "/?fragment=1", "/?page=2"),
    "healthz": ("/healthz",),
    "readyz": ("/readyz",),
    "account/": ("/account/",),
    "accounts/login/": ("/accounts/login/?next=/competitions/{c}/",),
    "accounts/logout/": ("/accounts/logout/",),
    "i18n/setlang/": ("/i18n/setlang/?next=/competitions/{c}/",),
    "boards/<int:seq>/": (
        *(f"/boards/{board}/{part}" for board in ("{board}", "{other}") for part in PARTS),
        *_by_label("/boards/{board}/?period="),
        *(
            "/boards/{other}/?find=ann",
            "/boards/{other}/?find=1",
            "/boards/{other}/?embed=1",
            "/boards/{board}/?screen=1",
        ),
        "/boards/{other}/?screen=1",
    ),
    "boards/<int:seq>/periods/": tuple(f"/boards/{board}/periods/" for board in ("{board}", "{other}")),
    "boards/<int:seq>/card.png": ("/boards/{other}/card.png",),
    "styles/<slug:digest>/<str:names>.css": ("/styles/0/tokens+base.css",),
    "players/<str:player>/": ("/players/{player}/",),
    "styleguide/": ("/styleguide/",),
    "competitions/": ("/competitions/", "/competitions/?fragment=1", "/competitions/?board={board}&page=2"),
    "competitions/<int:number>/": tuple(f"/competitions/{{c}}/{part}" for part in (*PARTS, "?player={player}")),
    "competitions/<int:number>/leave/": ("/competitions/{c}/leave/",),
    "competitions/<int:number>/reveal/": ("/competitions/{c}/reveal/",),
    "competitions/<int:number>/picture/<slug:digest>.webp": ("/competitions/{c}/picture/{picture}.webp",),
    "competitions/<int:number>/comments/": (f"{SAID}", f"{SAID}?order=likes", f"{SAID}?page=2"),
    "competitions/<int:number>/comments/<int:comment>/": (f"{SAID}{{comment}}/",),
    "competitions/<int:number>/comments/<int:comment>/edit/": (f"{SAID}{{comment}}/edit/",),
    "competitions/<int:number>/comments/<int:comment>/delete/": (f"{SAID}{{comment}}/delete/",),
    "competitions/<int:number>/comments/<int:comment>/hide/": (f"{SAID}{{comment}}/hide/",),
    "competitions/<int:number>/comments/<int:comment>/like/": (f"{SAID}{{comment}}/like/",),
    "competitions/<int:number>/comments/<int:comment>/likes/": (f"{SAID}{{comment}}/likes/",),
    "inbox/": ("/inbox/",),
    "inbox/settings/": ("/inbox/settings/",),
    "api/docs": ("/api/docs",),
    "api/openapi.json": ("/api/openapi.json",),
    "^api(?:/|$)": ("/api/", "/api/v1/nothing"),
    "api/v1/scores": ("/api/v1/scores",),
    "api/v1/boards": ("/api/v1/boards", "/api/v1/boards?name=Cups"),
    "api/v1/boards/<seq>": (BOARD, OTHER),
    "api/v1/boards/<seq>/standings": (
        f"{BOARD}/standings",
        *_by_label(f"{BOARD}/standings?period="),
        f"{OTHER}/standings?offset=1&limit=1",
    ),
    "api/v1/boards/<seq>/players": (
        *_by_label(f"{BOARD}/players?ids=ann,bob&period="),
        f"{OTHER}/players?ids=ann,bob",
    ),
    "api/v1/boards/<seq>/players/<player>": (*_by_label(f"{BOARD}/players/bob?period="), f"{OTHER}/players/ann"),
    "api/v1/boards/<seq>/players/<player>/around": (
        *_by_label(f"{BOARD}/players/bob/around?period="),
        f"{OTHER}/players/ann/around?radius=1",
    ),
    "api/v1/boards/<seq>/distribution": (*_by_label(f"{BOARD}/distribution?period="), f"{OTHER}/distribution"),
    "api/v1/boards/<seq>/standings.csv": (*_by_label(f"{BOARD}/standings.csv?period="), f"{OTHER}/standings.csv"),
    "api/v1/players/<player>": ("/api/v1/players/bob",),
    "api/v1/players/<player>/link-code": ("/api/v1/players/bob/link-code",),
    "api/v1/likes/<kind>/<id>": ("/api/v1/likes/comment/{comment}", "/api/v1/likes/comment/{comment}?player={player}"),
    "api/v1/likes/<kind>/<id>/<player>": ("/api/v1/likes/comment/{comment}/{player}",),
    "api/v1/likes/<kind>": ("/api/v1/likes/comment?ids={comment}&player={player}",),
    "api/v1/competitions": (
        "/api/v1/competitions",
        "/api/v1/competitions?board={board}&offset=0&limit=1",
        *(f"/api/v1/competitions?state={state}" for state in ("running", "frozen", "closing", "final")),
    ),
    "api/v1/competitions/<competition>": (CUP,),
    "api/v1/competitions/<competition>/standings": (f"{CUP}/standings", f"{CUP}/standings?offset=1&limit=1"),
    "api/v1/competitions/<competition>/players/<player>/around": (
        f"{CUP}/players/{{player}}/around",
        f"{CUP}/players/{{player}}/around?radius=1",
    ),
    "api/v1/competitions/<competition>/players/<player>": (f"{CUP}/players/{{player}}",),
    "api/v1/competitions/<competition>/players/<player>/history": (f"{CUP}/players/{{player}}/history",),
    "api/v1/competitions/<competition>/standings.csv": (f"{CUP}/standings.csv",),
    "api/v1/competitions/<competition>/result.json": (f"{CUP}/result.json",),
    "api/v1/competitions/<competition>/comments": (
        f"{CUP}/comments",
        f"{CUP}/comments?offset=0&limit=1&order=likes",
    ),
    "api/v1/competitions/<competition>/rewards": (f"{CUP}/rewards", f"{CUP}/rewards?offset=0&limit=1"),
}


def routes() -> set[str]:
    """Every URL pattern of the site, as ``resolve(…).route`` names it."""
    return set(_below(get_resolver(), ""))


def _below(resolver: URLResolver, prefix: str) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from _below(pattern, route)


def parameters_of_gets() -> dict[str, set[str]]:
    """Every GET operation of the OpenAPI document, by route, with the parameters of its query."""
    document: dict[str, Any] = api.get_openapi_schema(path_prefix=BASE_PATH)
    return {
        path.lstrip("/").replace("{", "<").replace("}", ">"): {
            each["name"] for each in operations["get"].get("parameters", []) if each["in"] == "query"
        }
        for path, operations in document["paths"].items()
        if "get" in operations
    }


def addresses(route: str, **values: object) -> list[str]:
    """The examples of a route; ``values`` are what stands in braces."""
    return sorted({example.format(player=player, **values) for example in EXAMPLES[route] for player in PLAYERS})


def admin_addresses(number: int) -> list[str]:
    """Each address of the admin, with this number wherever it takes one."""
    regexes = {f"{ADMIN}^": "/admin/competitions/", f"{ADMIN}(": "/admin/nothing"}
    found = []
    for route in routes():
        if route.startswith(ADMIN):
            special = next((address for start, address in regexes.items() if route.startswith(start)), None)
            found.append(special or "/" + re.sub(r"<[^>]+>", str(number), route))
    return sorted(found)

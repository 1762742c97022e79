"""Every address of the site with examples, for tests that walk all of it. Whoever adds an address adds its examples.

``{c}`` is a competition, ``{comment}`` one of its comments, ``{board}`` its board, ``{series}`` its series, ``{other}``
a calendar board; ``{picture}`` is the competition's picture, ``{team}`` and ``{division}`` are among its own;
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
CUP, COMMENTS = "competitions/<int:number>/", "competitions/<int:number>/comments/"
API_CUP, API_BOARD = "api/v1/competitions/<competition>", "api/v1/boards/<seq>"
API_LIKES = "api/v1/likes/<kind>"
SERIES, API_SERIES = "series/<int:number>/", "api/v1/series/<series>"

# Of these the example is what comes of filling in: no parameters, no other numbers.
PLAIN = (
    *("healthz", "readyz", "metrics", "account/", "accounts/logout/", "styleguide/", "inbox/", "inbox/settings/"),
    *("inbox/push/", "push-worker.js"),
    *("players/<str:player>/follow/", "account/following/", "account/profile/"),
    *("players/<str:player>/", f"{CUP}leave/", f"{CUP}reveal/", f"{CUP}picture/<slug:digest>.webp"),
    *(f"{CUP}{rest}" for rest in ("team/", "teams/<int:team>/", "calendar.ics", "reminder/")),
    *(
        f"{COMMENTS}<int:comment>/{rest}"
        for rest in ("", "edit/", "delete/", "hide/", "report/", "dismiss/", "like/", "likes/")
    ),
    *(
        f"accounts/{rest}"
        for rest in ("second-factor/", "passkey/", "passkey/challenge/", "confirm/", "confirm/passkey/")
    ),
    *(f"accounts/{rest}" for rest in ("password/", "reset/", "reset/done/", "reset/<uidb64>/<token>/", "email/")),
    *(f"accounts/{rest}/<str:token>/" for rest in ("sign-up", "invitations", "email", "email/back")),
    *(
        f"accounts/security/{rest}"
        for rest in ("", "app/", "app/remove/", "passkeys/", "passkeys/challenge/", "codes/")
    ),
    *(
        "accounts/privacy/",
        "accounts/sign-up/",
        "accounts/security/passkeys/<int:number>/remove/",
        "account/export/",
        "account/delete/",
    ),
    *("api/docs", "api/openapi.json", "api/v1/scores"),
    *(f"{API_CUP}{rest}" for rest in ("", "/players/<player>/history")),
    *(f"{API_CUP}{rest}" for rest in ("/revisions", "/teams/<team>", "/players/<player>/team")),
    f"{API_LIKES}/<id>/<player>",
)
FILLED = {
    "int:number": "{c}", "int:comment": "{comment}", "slug:digest": "{picture}", "str:player": "{player}",
    "competition": "{c}", "player": "{player}", "kind": "comment", "id": "{comment}",
    "uidb64": "MQ", "token": "t-1", "str:token": "t-1",
    "team": "{team}", "int:team": "{team}", "int:division": "{division}",
}  # fmt: skip  # as a table


def _filled(route: str, *parameters: str) -> tuple[str, ...]:
    """The address of a route, once with each of these."""
    address = "/" + re.sub(r"<([^>]+)>", lambda found: FILLED[found[1]], route)
    return tuple(address + each for each in parameters or ("",))


def _of_boards(rest: str, of_other: str = "") -> tuple[str, ...]:
    """Below the event board by each label by which somebody may try to get round the competition; below the other."""
    joint = "&" if "?" in rest else "?"
    by_label = (f"/api/v1/boards/{{board}}/{rest}{joint}period={label}" for label in LABELS)
    return (*by_label, f"/api/v1/boards/{{other}}/{of_other or rest}")


EXAMPLES: dict[str, tuple[str, ...]] = {
    **{route: _filled(route) for route in PLAIN},
    "": ("/", "/?fragment=1", "/?page=2"),
    "accounts/login/": ("/accounts/login/?next=/competitions/{c}/",),
    "i18n/setlang/": ("/i18n/setlang/?next=/competitions/{c}/",),
    "boards/": ("/boards/", "/boards/?page=2"),
    "search/": ("/search/", "/search/?q=ann", "/search/?q={player}", "/search/?q=Cups"),
    "boards/<int:seq>/": (
        *(f"/boards/{board}/{part}" for board in ("{board}", "{other}") for part in (*PARTS, "?screen=1")),
        *(f"/boards/{{board}}/?period={label}" for label in LABELS),
        *(f"/boards/{{other}}/?{part}" for part in ("find=ann", "find=1", "embed=1")),
        *(f"/boards/{board}/?of={of}" for board in ("{board}", "{other}") for of in ("following", "group", "KR")),
    ),
    "players/<str:player>/menu/": ("/players/{player}/menu/?board={other}", "/players/{player}/menu/?board={board}"),
    "compare/": (
        *("/compare/?a={player}&b=bob", "/compare/?a={player}&with=bob", "/compare/?a={player}&b=bob&board={other}"),
        *("/compare/?a={player}&b=bob&board={board}", "/compare/?a={player}&b=bob&board={other}&period=c{c}"),
    ),
    "boards/<int:seq>/periods/": ("/boards/{board}/periods/", "/boards/{other}/periods/"),
    "boards/<int:seq>/card.png": (
        *("/boards/{board}/card.png?player=bob", "/boards/{other}/card.png", "/boards/{other}/card.png?player=ann"),
    ),
    "boards/<int:seq>/share/": (
        *("/boards/{board}/share/", "/boards/{other}/share/", "/boards/{other}/share/?menu=1&player=ann"),
    ),
    "boards/<int:seq>/calendar.ics": ("/boards/{board}/calendar.ics", "/boards/{other}/calendar.ics"),
    f"{CUP}card.png": _filled(f"{CUP}card.png", "", "?player={player}", "?player={player}&lang=ko"),
    f"{CUP}share/": _filled(f"{CUP}share/", "", "?menu=1&player={player}", "?of=reveal"),
    "pictures/<slug:digest>/<slug:size>.webp": ("/pictures/0/small.webp",),
    "scripts/<slug:digest>/<str:names>.js": ("/scripts/0/live+patch.js",),
    "styles/<slug:digest>/<str:names>.css": ("/styles/0/tokens+base.css",),
    "search/suggestions/": ("/search/suggestions/?q=ann", "/search/suggestions/?q=bo", "/search/suggestions/?q=cup"),
    "competitions/": ("/competitions/", "/competitions/?fragment=1", "/competitions/?board={board}&page=2"),
    CUP: _filled(CUP, *PARTS, "?player={player}", "?embed=1", "?screen=1", "?of=following", "?fragment=1&of=following"),
    f"{CUP}teams/": _filled(f"{CUP}teams/", *PARTS),
    f"{CUP}divisions/<int:division>/": _filled(f"{CUP}divisions/<int:division>/", *PARTS),
    COMMENTS: _filled(COMMENTS, "", "?order=likes", "?page=2"),
    "api/v1/players/<player>": ("/api/v1/players/bob",),
    "api/v1/players/<player>/link-code": ("/api/v1/players/bob/link-code",),
    "^api(?:/|$)": ("/api/", "/api/v1/nothing"),
    "api/v1/boards": ("/api/v1/boards", "/api/v1/boards?name=Cups", "/api/v1/boards?offset=1&limit=1"),
    API_BOARD: ("/api/v1/boards/{board}", "/api/v1/boards/{other}"),
    f"{API_BOARD}/players/<player>/percentile": _of_boards("players/{player}/percentile?exact=true"),
    f"{API_BOARD}/periods": (
        "/api/v1/boards/{board}/periods",
        "/api/v1/boards/{other}/periods?offset=0&limit=5",
        "/api/v1/boards/{other}/periods?cursor=x",
    ),
    f"{API_BOARD}/standings": (
        *_of_boards("standings", "standings?offset=1&limit=1"),
        "/api/v1/boards/{board}/standings",
        "/api/v1/boards/{board}/standings?metadata=true&cursor=x",
    ),
    f"{API_BOARD}/players": _of_boards("players?ids=ann,bob", "players?ids=ann&metadata=true"),
    f"{API_BOARD}/players/<player>": _of_boards("players/bob", "players/ann?metadata=true"),
    f"{API_BOARD}/players/<player>/around": _of_boards(
        "players/bob/around", "players/ann/around?radius=1&metadata=true"
    ),
    f"{API_BOARD}/league": ("/api/v1/boards/{board}/league", "/api/v1/boards/{other}/league"),
    f"{API_BOARD}/players/<player>/league": _of_boards("players/bob/league?metadata=true", "players/ann/league"),
    f"{API_BOARD}/view": (
        *_of_boards("view?player=bob&ids=ann", "view?player=ann&radius=1&ids=ann,bob&offset=0&limit=5&metadata=true"),
        "/api/v1/boards/{other}/view?cursor=x",
    ),
    f"{API_BOARD}/distribution": (*_of_boards("distribution"), *_of_boards("distribution?exact=true")),
    f"{API_BOARD}/standings.csv": _of_boards("standings.csv?metadata=true", "standings.csv?raw=true"),
    f"{API_CUP}/standings.csv": _filled(f"{API_CUP}/standings.csv", "", "?raw=true", "?metadata=true"),
    f"{API_LIKES}/<id>": _filled(f"{API_LIKES}/<id>", "", "?player={player}"),
    API_LIKES: _filled(API_LIKES, "?ids={comment}&player={player}"),
    "api/v1/competitions": (
        *("/api/v1/competitions", "/api/v1/competitions?board={board}&offset=0&limit=1"),
        *(f"/api/v1/competitions?state={state}" for state in ("running", "frozen", "closing", "provisional", "final")),
    ),
    "series/": ("/series/",),
    SERIES: ("/series/{series}/", "/series/{series}/?page=2", "/series/{series}/?player={player}"),
    "api/v1/series": ("/api/v1/series", "/api/v1/series?offset=0&limit=1"),
    f"{API_SERIES}/standings.csv": (
        "/api/v1/series/{series}/standings.csv",
        "/api/v1/series/{series}/standings.csv?raw=true",
    ),
    API_SERIES: ("/api/v1/series/{series}",),
    f"{API_SERIES}/standings": (
        "/api/v1/series/{series}/standings",
        "/api/v1/series/{series}/standings?offset=1&limit=1",
        "/api/v1/series/{series}/standings?cursor=x",
    ),
    f"{API_CUP}/standings": _filled(
        f"{API_CUP}/standings", "", "?offset=1&limit=1", "?division={division}", "?metadata=true", "?cursor=x"
    ),
    f"{API_CUP}/view": _filled(
        f"{API_CUP}/view",
        "",
        "?player={player}&radius=1&ids=ann,bob,cleo",
        "?player={player}&offset=1&limit=1&metadata=true",
        "?cursor=x",
    ),
    f"{API_CUP}/teams": _filled(f"{API_CUP}/teams", "", "?offset=1&limit=1"),
    f"{API_CUP}/teams.csv": _filled(f"{API_CUP}/teams.csv", "", "?raw=true"),
    f"{API_CUP}/players/<player>/around": _filled(
        f"{API_CUP}/players/<player>/around", "", "?radius=1", "?metadata=true"
    ),
    f"{API_CUP}/players/<player>": _filled(f"{API_CUP}/players/<player>", "", "?metadata=true"),
    f"{API_CUP}/comments": _filled(f"{API_CUP}/comments", "", "?offset=0&limit=1&order=likes"),
    f"{API_CUP}/result.json": _filled(f"{API_CUP}/result.json", "", "?revision=1"),
    f"{API_CUP}/rewards": _filled(f"{API_CUP}/rewards", "", "?offset=0&limit=1"),
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

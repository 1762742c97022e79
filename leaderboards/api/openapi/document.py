"""The OpenAPI document: what django-ninja derives from the code, with errors, examples and code samples added.

Each app describes its own operations (``examples.py``); this module adds the descriptions to the document.
"""

from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from ninja import NinjaAPI, Router

from leaderboards.api.openapi.code_samples import Call, as_markdown, code_samples
from leaderboards.api.openapi.codes import add_codes
from leaderboards.api.openapi.headers import COMPONENTS, IF_NONE_MATCH, add_headers
from leaderboards.api.openapi.number_formats import add_formats
from leaderboards.api.openapi.parameters import bound
from leaderboards.api.openapi.schemas import Problem
from leaderboards.api.openapi.shared import SCHEMAS, name_shared
from leaderboards.api.openapi.webhooks import WebhookDoc, add_webhooks

BASE_PATH = "/api/v1"
TAGS = {
    "scores": "Submitting scores.",
    "boards": "Boards, their settings and their running periods.",
    "standings": "Standings of a board's periods: pages, players, distributions, files.",
    "players": "Profiles, and codes that link players to accounts.",
    "competitions": "Competitions, their participants, teams, results and comments.",
    "series": "Points by place over several competitions.",
    "leagues": "Tiers and groups on a board with a calendar.",
    "likes": "Likes of anything that the site registers.",
    "webhooks": "Messages that this site posts to the endpoints of other systems, signed by Standard Webhooks.",
}

REFUSALS = {
    400: "The body is not JSON, or the `Content-Type` cannot be read.",
    401: "No key where one is needed, or a wrong, revoked or expired one, or without the signature that it demands.",
    403: "The key lacks the scope, does not reach the board or is bound to other addresses; or the player may not.",
    404: "There is no such board, period, competition, series, player or thing.",
    405: "The address does not have this method.",
    409: "It clashes with what is there: a period that takes no more changes, a player who takes part already.",
    411: "The body came without a Content-Length.",
    413: "The body is over 1 MiB.",
    415: "The body is not declared as `application/json`.",
    422: "A parameter that is unknown or repeated; or one, the body or a player's id of the wrong shape: see `errors`.",
    429: "Too many requests of this key or address; `Retry-After` says when the next one is let in.",
    500: "A fault on this side. It is in the log.",
    503: "What answers or decides this is away; `Retry-After` says when to try again.",
}
EVERYWHERE = (400, 405, 422, 429, 500, 503)
READING = (401, 403, 404)
BODY = (411, 413, 415)
_SERVICE_KEY = {
    "type": "http",
    "scheme": "bearer",
    "description": "A service key, as an admin made it: `Authorization: Bearer sunwi_…`. Public boards need none. "
    "A key may demand that requests are signed: `Sunwi-Timestamp`, `Sunwi-Nonce` and `Sunwi-Signature`, as the "
    "documentation's “Signed requests” says.",
}


@dataclass(frozen=True, slots=True)
class OperationDoc:
    """The description of an operation, beyond what the code shows.

    ``path`` and ``query`` make its sample call; ``answer`` is an example response; ``raw_response`` replaces the 200
    response if that is not JSON. ``problems`` are refusals that say more than others, ``headers`` those of the content,
    and ``parameters`` bounds that only this operation has.
    """

    refusals: tuple[int, ...] = READING
    path: Mapping[str, str | int] = field(default_factory=dict)
    query: str = ""
    body: dict[str, Any] | None = None
    answer: Any = None
    raw_response: dict[str, Any] | None = None
    problems: Mapping[int, type[Problem]] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ApiPart:
    """The API of one app: its routers, and the descriptions of its operations and of its webhooks by name.

    ``codes`` are the codes of its refusals, beside those of ``codes.py``.
    """

    routers: tuple[Router, ...]
    docs: Callable[[], Mapping[str, OperationDoc]]
    webhooks: Callable[[], Mapping[str, WebhookDoc]] = dict
    codes: tuple[str, ...] = ()


class Api(NinjaAPI):
    """The API with the completed document."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._parts: list[ApiPart] = []
        self._generated: dict[tuple[tuple[str, Any], ...], dict[str, Any]] = {}

    def add(self, part: ApiPart) -> None:
        """Add an app's part; call it before the URLs are built."""
        for router in part.routers:
            self.add_router("", router)
        self._parts.append(part)

    def get_openapi_operation_id(self, operation: Any) -> str:
        """The name of the view function."""
        return str(operation.view_func.__name__)

    def get_openapi_schema(self, **kwargs: Any) -> Any:
        """The document of django-ninja, completed with present boards as examples.

        The part of django-ninja takes a third of a second, and is cached.
        """
        key = tuple(sorted(kwargs.items()))
        if key not in self._generated:
            self._generated[key] = dict(super().get_openapi_schema(**kwargs))
        document = deepcopy(self._generated[key])
        document["info"] |= {
            "license": {"name": "MIT", "identifier": "MIT"},
            "contact": {"name": "Those who run this site"},
        }
        document["servers"] = [{"url": "/", "description": "The site that this document comes from."}]
        document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
        document["components"] |= {"securitySchemes": {"ServiceKey": _SERVICE_KEY}, "headers": deepcopy(COMPONENTS)}
        docs = {name: each for part in self._parts for name, each in part.docs().items()}
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                _complete(operation, method, path, docs[operation["operationId"]])
        _add_problems(document, [Problem, *(kind for each in docs.values() for kind in each.problems.values())])
        add_codes(document, [code for part in self._parts for code in part.codes])
        _name_bodies(document)
        add_webhooks(document, {name: each for part in self._parts for name, each in part.webhooks().items()})
        name_shared(document)
        add_formats(document)
        _drop_unused_schemas(document)
        return document


def body(schema: dict[str, Any], example: Any, required: bool = True) -> dict[str, Any]:
    """A request's body; the schema's ``title`` becomes its name in the document."""
    return {"required": required, "content": {"application/json": {"schema": schema, "example": example}}}


def _name_bodies(document: dict[str, Any]) -> None:
    """Move the titled schemas of request bodies to the components, so that generated clients have names for them."""
    schemas = document["components"]["schemas"]

    def named(schema: Any) -> Any:
        if isinstance(schema, list):
            return [named(each) for each in schema]
        if not isinstance(schema, dict):
            return schema
        schema = {key: named(value) for key, value in schema.items()}
        if schema.get("type") != "object" or "title" not in schema:
            return schema
        schemas[schema["title"]] = schema
        return {"$ref": SCHEMAS + schema["title"]}

    for operations in document["paths"].values():
        for operation in operations.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                content["schema"] = named(content["schema"])


def _drop_unused_schemas(document: dict[str, Any]) -> None:
    """Leave out what nothing refers to, such as a group of query parameters."""
    schemas = document["components"]["schemas"]
    reached, waiting = set[str](), [document["paths"], document["webhooks"]]
    while waiting:
        for name in _references(waiting.pop()) - reached:
            reached.add(name)
            waiting.append(schemas[name])
    document["components"]["schemas"] = {name: schema for name, schema in schemas.items() if name in reached}


def _references(part: Any) -> set[str]:
    if isinstance(part, list):
        return set().union(*map(_references, part))
    if not isinstance(part, dict):
        return set()
    found = set().union(*map(_references, part.values()))
    reference = part.get("$ref")
    if isinstance(reference, str) and reference.startswith(SCHEMAS):
        found.add(reference.removeprefix(SCHEMAS))
    return found


def _complete(operation: dict[str, Any], method: str, path: str, docs: OperationDoc) -> None:
    responses = operation["responses"]
    _add_refusals(responses, {*docs.refusals, *EVERYWHERE}, docs.problems)
    operation["security"] = [{}, {"ServiceKey": []}] if method == "get" else [{"ServiceKey": []}]
    if method == "get":
        responses[304] = {"description": "`If-None-Match` named the answer's ETag."}
    if docs.raw_response is not None:
        responses[200] = deepcopy(docs.raw_response)
    if docs.body is not None:
        operation["requestBody"] = deepcopy(docs.body)
    if docs.answer is not None:
        responses[200]["content"]["application/json"]["example"] = docs.answer
    add_headers(responses, method == "get", docs.headers)
    for parameter in operation["parameters"]:
        bound(parameter, docs.parameters)
        if parameter["in"] == "path" and parameter["name"] in docs.path:
            parameter["example"] = docs.path[parameter["name"]]
    if method == "get":
        operation["parameters"].append(dict(IF_NONE_MATCH))
    samples = code_samples(_call(method, path, docs))
    operation["x-codeSamples"] = samples
    operation["description"] = f"{operation.get('description', '')}\n\n{as_markdown(samples)}"


def _add_refusals(responses: dict[Any, Any], statuses: Collection[int], problems: Mapping[int, type[Problem]]) -> None:
    for status in sorted(statuses):
        schema = {"$ref": SCHEMAS + problems.get(status, Problem).__name__}
        content = {"application/problem+json": {"schema": schema}}
        responses[status] = {"description": REFUSALS[status], "content": content}


def _add_problems(document: dict[str, Any], kinds: Collection[type[Problem]]) -> None:
    schemas = document["components"]["schemas"]
    for kind in kinds:
        schema = kind.model_json_schema(ref_template=SCHEMAS + "{model}")
        schemas |= schema.pop("$defs", {})
        schemas[kind.__name__] = schema


def _call(method: str, path: str, docs: OperationDoc) -> Call:
    for name, value in docs.path.items():
        path = path.replace(f"{{{name}}}", quote(str(value)))
    example = docs.body["content"]["application/json"]["example"] if docs.body else None
    return Call(method.upper(), path + docs.query, example)

"""The API's operations, from its OpenAPI document."""

import json
from collections.abc import Iterator
from typing import Any

from django.utils.module_loading import import_string

from site_pages.tables import code, table

INTRO = """# API operations

Made from the OpenAPI document, which a running site serves at `/api/openapi.json`, and at `/api/docs` as a page where
requests can be tried. [The API](../api.md) says what all of it means: keys, errors, how a score counts.
"""


def document() -> dict[str, Any]:
    """The OpenAPI document, of all apps."""
    import_string("config.urls.urlpatterns")  # apps add their operations there
    docs = import_string("config.docs.api")
    schema: dict[str, Any] = json.loads(
        json.dumps(docs.get_openapi_schema(path_prefix=import_string("config.docs.BASE_PATH")))
    )
    return schema


def page() -> str:
    """The page."""
    schema = document()
    groups: dict[str, list[str]] = {}
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            groups.setdefault((operation.get("tags") or ["others"])[0], []).append(_operation(method, path, operation))
    parts = (f"\n## {name.capitalize()}\n" + "".join(operations) for name, operations in groups.items())
    shapes = "".join(_shape(name, each) for name, each in sorted(schema["components"]["schemas"].items()))
    return f"{INTRO}{''.join(parts)}\n## Shapes\n{shapes}"


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    text = operation.get("description", "").partition("\n**Python**")[0].replace("**curl**\n\n", "").strip()
    parameters = [
        (code(each["name"]), each["in"], _type(each.get("schema", {})), each.get("description", ""))
        for each in operation.get("parameters", [])
    ]
    takes = "\n" + table(["parameter", "in", "kind", "means"], parameters) if parameters else ""
    answers = table(["status", "answer"], [(s, _answer(each)) for s, each in operation["responses"].items()])
    return f"\n### {method.upper()} {path}\n\n{text}\n{takes}{_body(operation)}\n{answers}"


def _body(operation: dict[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    return "".join(f"\nBody (`{kind}`): {_type(each.get('schema', {}))}\n" for kind, each in content.items())


def _answer(response: dict[str, Any]) -> str:
    kinds = [_type(each["schema"]) for each in response.get("content", {}).values() if "$ref" in each.get("schema", {})]
    shapes = f" ({', '.join(kinds)})" if kinds else ""
    return f"{response['description']}{shapes}"


def _shape(name: str, schema: dict[str, Any]) -> str:
    required = set(schema.get("required", []))
    rows = [
        (code(field), _type(each), "yes" if field in required else "", each.get("description", ""))
        for field, each in schema.get("properties", {}).items()
    ]
    words = schema.get("description", "").strip()
    of = "" if rows else f"\n{_type(schema)}\n"
    return (
        f"\n### {name}\n"
        + (f"\n{words}\n" if words else "")
        + of
        + ("\n" + table(["field", "kind", "always", "means"], rows) if rows else "")
    )


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if several := [*_several(schema)]:
        return " or ".join(dict.fromkeys(several))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if "enum" in schema or "const" in schema:
        return " ".join(code(str(each)) for each in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type", "anything")
    bounds = [f"{word} {schema[key]}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in schema]
    return " ".join([str(kind), *bounds])


def _several(schema: dict[str, Any]) -> Iterator[str]:
    for key in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(key, []):
            yield _type(each)

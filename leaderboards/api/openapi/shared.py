"""Schemas that stand at many places of the OpenAPI document and have one name, so that generated clients have one type.

A type is marked by ``shared("StateOfPeriod")`` where it is written; ``name_shared`` moves it to the components.
"""

from typing import Any, Final

from ninja import Field

SCHEMAS: Final = "#/components/schemas/"
MARK = "x-shared-as"
_OF_THE_PLACE = ("title", "description", "default", "examples", "example")  # stay where the type is used


def shared(name: str, **more: Any) -> Any:
    """What an ``Annotated`` type gets, to be called ``name`` in the document."""
    return Field(json_schema_extra={MARK: name}, **more)


def name_shared(document: dict[str, Any]) -> None:
    """Move the marked schemas to the components, in place. Raises ``ValueError`` for two schemas of one name."""
    found: dict[str, dict[str, Any]] = {}
    _replace(document, found)
    schemas = document["components"]["schemas"]
    if taken := sorted(found.keys() & schemas.keys()):
        raise ValueError(f"Two schemas of the document are called {taken[0]}.")
    schemas |= found


def _replace(part: Any, found: dict[str, dict[str, Any]]) -> None:
    if isinstance(part, list):
        for each in part:
            _replace(each, found)
    if not isinstance(part, dict):
        return
    for each in part.values():
        _replace(each, found)
    if MARK not in part:
        return
    name = part.pop(MARK)
    schema = {key: part.pop(key) for key in list(part) if key not in _OF_THE_PLACE}
    if found.setdefault(name, {"title": name, **schema}) != {"title": name, **schema}:
        raise ValueError(f"Two schemas of the document are called {name}.")
    part.pop("title", None)
    part["$ref"] = SCHEMAS + name

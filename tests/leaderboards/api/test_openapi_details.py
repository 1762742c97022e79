"""What the OpenAPI document says of parameters, headers, codes and shared types, and that the code means the same."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from foundation.errors import SunwiError
from leaderboards.api.openapi.parameters import GREATEST_NUMBER, PLAYER_ID
from leaderboards.api.openapi.shared import MARK, name_shared
from leaderboards.core.input.entries import read_player
from leaderboards.errors import BadPlayer
from tests.leaderboards.api.conftest import Caller, Make

CONTRACT = Path(__file__).parents[3] / "docs" / "api.md"


@pytest.fixture
def document(db: None) -> dict[str, Any]:
    answer: dict[str, Any] = Client().get("/api/openapi.json").json()
    return answer


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["operationId"]: each for path in document["paths"].values() for each in path.values()}


def test_every_parameter_has_its_bounds(document: dict[str, Any]) -> None:
    unbounded = {
        (name, parameter["name"])
        for name, operation in operations(document).items()
        for parameter in operation["parameters"]
        if parameter["in"] != "header" and not is_bounded(parameter["schema"])
    }

    assert unbounded == set()
    paths = {each["name"]: each["schema"] for each in operations(document)["read_player_row"]["parameters"]}
    assert paths["seq"].items() >= {"format": "int64", "minimum": 1, "maximum": GREATEST_NUMBER}.items()
    assert paths["player"]["maxLength"] == 64


def is_bounded(schema: dict[str, Any]) -> bool:
    return (
        schema.get("type") == "boolean"
        or schema.keys() >= {"minimum", "maximum"}
        or not schema.keys().isdisjoint({"maxLength", "pattern", "maxItems", "enum", "$ref"})
    )


@pytest.mark.parametrize(
    "player",
    [
        *("a", "Alice B.", "이순신", "a\u200db", "a" * 64, "-_~!$&'()*+;=:@", "\ufeffa"),
        *(
            "",
            " a",
            "a ",
            "a,b",
            "a/b",
            "a\x00",
            "a\x85b",
            "a\u2028b",
            "a\u202eb",
            "\u061c",
            ".",
            "..",
            "a" * 65,
            "\na",
        ),
    ],
)
def test_the_schema_of_a_player_takes_what_the_code_takes(player: str) -> None:
    fits = (
        PLAYER_ID["minLength"] <= len(player) <= PLAYER_ID["maxLength"]
        and re.search(PLAYER_ID["pattern"], player) is not None
        and player not in PLAYER_ID["not"]["enum"]
    )

    try:
        is_taken = bool(read_player(player))
    except BadPlayer:
        is_taken = False

    assert fits is is_taken


def test_the_largest_number_that_the_document_allows_is_unknown_and_a_larger_one_is_refused(db: None) -> None:
    assert Client().get(f"/api/v1/boards/{GREATEST_NUMBER}").status_code == 404
    assert Client().get(f"/api/v1/boards/{GREATEST_NUMBER + 1}").status_code == 422


def test_the_headers_that_come_are_in_the_document(document: dict[str, Any], make_board: Make, game: Caller) -> None:
    seq = make_board("arena")
    game.score(seq, alice=5)
    told = operations(document)
    wanted = {"etag", "x-request-id", "retry-after", "allow", "as-of", "live", "content-hash", "link"}

    for name, path, status in (
        ("read_standings", f"/api/v1/boards/{seq}/standings", 200),
        ("export_standings", f"/api/v1/boards/{seq}/standings.csv", 200),
        ("submit_scores", "/api/v1/scores", 405),
    ):
        answer = Client().get(path)
        assert answer.status_code == status
        came = {each.lower() for each in answer.headers} & wanted
        assert came <= {each.lower() for each in told[name]["responses"][str(status)]["headers"]}, name
    assert {"ETag", "X-Request-ID"} <= told["read_standings"]["responses"]["304"]["headers"].keys()
    assert {"Content-Hash", "Link"} <= told["read_result"]["responses"]["200"]["headers"].keys()
    assert "If-None-Match" in {each["name"] for each in told["read_standings"]["parameters"]}
    assert "If-None-Match" not in {each["name"] for each in told["submit_scores"]["parameters"]}


def test_a_503_of_scores_may_have_the_results(document: dict[str, Any]) -> None:
    [content] = operations(document)["submit_scores"]["responses"]["503"]["content"].values()
    [other] = operations(document)["list_boards"]["responses"]["503"]["content"].values()
    schema = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]

    assert {"accepted", "rejected", "results", "code", "detail"} <= schema["properties"].keys()
    assert other["schema"]["$ref"].endswith("/Problem")


def all_codes(kind: type[SunwiError] = SunwiError) -> set[str]:
    return {kind.code}.union(*map(all_codes, kind.__subclasses__()))


def test_the_codes_are_those_of_the_contract_and_of_our_errors(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    of_requests, of_entries = set(schemas["ErrorCode"]["enum"]), set(schemas["ResultCode"]["enum"])
    text = CONTRACT.read_text("utf-8").partition("| `code` | meaning |")[2].partition("\n\n")[0]
    rules = {"plausible_least", "plausible_most", "submissions_per_minute", "points_per_minute"}

    assert of_entries == set(re.findall(r"`([a-z_]+)`", "".join(re.findall(r"^\| .*? \|", text, re.MULTILINE))))
    assert sorted((of_requests | of_entries) - all_codes() - rules - {"own_jump", "field_jump", "server_error"}) == []
    for name in ("Problem", "ProblemOfScores"):
        kinds = schemas[name]["properties"]["code"]["anyOf"]
        assert kinds == [{"$ref": "#/components/schemas/ErrorCode"}, {"type": "string"}]


def test_types_of_several_places_have_one_name(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    inline = [
        (name, field)
        for name, schema in schemas.items()
        for field, each in schema.get("properties", {}).items()
        for kind in each.get("anyOf", ())
        if "enum" in kind or kind.get("type") == "object"
    ]

    assert inline == []
    assert {"FieldValues", "Metadata", "StateOfPeriod", "StateOfCompetition"} <= schemas.keys()
    assert MARK not in str(document)


def test_two_types_of_one_name_are_refused() -> None:
    document = {"paths": [{MARK: "Same", "type": "string"}, {MARK: "Same", "type": "object"}]}

    with pytest.raises(ValueError, match="Two schemas of the document are called Same"):
        name_shared(document)

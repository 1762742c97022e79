"""GET /competitions/{id}/result.json and …/revisions: the published bytes, for good, and how outsiders check them."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.db import transaction

from competitions.api.schemas.competitions import FinalResult
from competitions.models import Competition, Revision, RevisionPart
from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.freeze import reveal
from competitions.services.locks import lock_competition
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.participants.teams import MoveTarget, move_participant
from competitions.services.results import revisions as revising
from competitions.services.results.revisions import publish_revision
from foundation import clock
from foundation.errors import Unavailable
from tests.competitions.factories import DAY, HOUR, START, TeamFactory
from tests.competitions.published import document, revisions
from tests.competitions.site import SOON, make_board, open_competition, player, raced, reloaded
from tests.leaderboards.api.conftest import Caller, players, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def over(points: dict[str, int] | None = None, **wanted: object) -> Competition:
    """A competition that ended an hour ago, and is final."""
    competition = open_competition(**{"starts_at": START - DAY, "ends_at": START + HOUR, **wanted})  # type: ignore[arg-type]  # settings of competitions, each of its own type
    raced(competition, points or {"ann": 9, "bob": 5, "cleo": 4}, SOON - DAY)
    assert finish(competition, clock.now())
    return reloaded(competition)


def changed(competition: Competition, reason: str = "Two accounts.") -> Revision:
    """The next revision: without ann, or with ann again."""
    act = reinstate if competition.participants.filter(disqualified_at__isnull=False).exists() else disqualify
    act(competition, player("ann"), reason, clock.now(), None)
    with transaction.atomic():
        return publish_revision(lock_competition(competition), clock.now(), reason=reason)


def path(competition: Competition, rest: str = "result.json") -> str:
    return f"/competitions/{competition.pk}/{rest}"


def body(caller: Caller, address: str) -> bytes:
    response = caller.get(address)
    assert response.status_code == 200, response.getvalue()
    return b"".join(response)


def test_without_a_number_it_is_the_latest_and_with_one_that_revision_byte_for_byte(anybody: Caller) -> None:
    competition = over()
    first = body(anybody, path(competition))

    second = changed(competition)

    assert body(anybody, path(competition)) == body(anybody, path(competition, "result.json?revision=2"))
    assert body(anybody, path(competition)) == document(second)
    assert body(anybody, path(competition, "result.json?revision=1")) == first == document(revisions(competition)[0])
    assert players(json.loads(document(second))) == [(1, "bob"), (2, "cleo")]


def test_headers_name_its_hash_and_where_the_latest_and_all_are_and_who_has_it_gets_304(anybody: Caller) -> None:
    competition = over()
    (revision,) = revisions(competition)
    latest, numbered = path(competition), path(competition, "result.json?revision=1")

    response, first = anybody.get(latest), anybody.get(numbered)

    assert response["ETag"] == first["ETag"] == f'W/"{revision.content_hash}"'
    assert response["Content-Hash"] == revision.content_hash
    assert (response["Cache-Control"], first["Cache-Control"]) == ("no-cache", "public, max-age=86400")
    here = f"/api/v1{path(competition, '')}"
    links = f'<{here}result.json>; rel="latest-version", <{here}revisions>; rel="version-history"'
    assert response["Link"] == first["Link"] == links
    assert f'"competition-{competition.pk}-result-1.json"' in response["Content-Disposition"]
    for address in (latest, numbered):
        known = anybody.get(address, If_None_Match=response["ETag"])
        assert (known.status_code, known.content, known["Link"]) == (304, b"", links)
        head = anybody.send("HEAD", address)
        assert (head.status_code, head.getvalue(), head["ETag"]) == (200, b"", response["ETag"])
    changed(competition)
    assert anybody.get(latest, If_None_Match=response["ETag"]).status_code == 200
    assert anybody.get(numbered, If_None_Match=response["ETag"]).status_code == 304


def test_the_list_tells_of_each_why_it_was_made_and_what_took_its_place(anybody: Caller) -> None:
    competition = over()
    changed(competition)
    changed(competition, "One account.")
    one, two, three = revisions(competition)

    told = anybody.get(path(competition, "revisions")).json()

    assert told["total"] == 3
    assert [(row["revision"], row["reason"], row["total"], row["superseded_by"]) for row in told["rows"]] == [
        (1, "", 3, 2),
        (2, "Two accounts.", 2, 3),
        (3, "One account.", 3, None),
    ]
    hashes = [one.content_hash, two.content_hash, three.content_hash]
    assert [row["content_hash"] for row in told["rows"]] == hashes
    assert [row["previous_hash"] for row in told["rows"]] == ["", *hashes[:2]]
    assert {row["rewritten_at"] for row in told["rows"]} == {None}


def test_unknown_revisions_and_wrong_numbers_are_refused(anybody: Caller) -> None:
    competition = over()

    told = problem(anybody.get(path(competition, "result.json?revision=2")), 404, "unknown_revision")
    assert "revisions 1 to 1" in told["detail"]
    for number in (2**31, 2**53):
        problem(anybody.get(path(competition, f"result.json?revision={number}")), 404, "unknown_revision")
    for wrong in ("0", "-1", "x", "1.0", "", "9" * 30):
        problem(anybody.get(path(competition, f"result.json?revision={wrong}")), 422, "invalid_request")
    problem(anybody.get(path(competition, "result.json?version=1")), 422, "invalid_request")
    problem(anybody.get(path(competition, "revisions?limit=1")), 422, "invalid_request")


def test_before_it_is_final_published_and_revealed_there_is_none(anybody: Caller) -> None:
    running = open_competition()
    frozen = over(board=make_board(name="Frozen"), freeze_minutes=60)
    unpublished = over(board=make_board(name="Old"))
    Revision.objects.filter(competition=unpublished).delete()

    for competition in (running, frozen, unpublished):
        for rest in ("result.json", "result.json?revision=1", "revisions"):
            problem(anybody.get(path(competition, rest)), 404, "not_final")
    reveal(frozen, clock.now(), None)
    assert anybody.get(path(frozen)).status_code == 200


def test_a_private_one_is_read_by_a_key_alone_and_kept_by_nobody_else(
    anybody: Caller, make_key: Callable[..., str]
) -> None:
    competition = over(board=make_board(visibility="private"))
    reader = Caller(make_key("boards:read", name="r"))

    for rest in ("result.json", "result.json?revision=1", "revisions"):
        problem(anybody.get(path(competition, rest)), 401, "unauthenticated")
        assert reader.get(path(competition, rest))["Cache-Control"].startswith("private")


def test_who_reads_slowly_gets_one_revision_or_breaks_off(anybody: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revising, "ROWS_A_PART", 1)
    competition = over()
    (revision,) = revisions(competition)
    response = iter(anybody.get(path(competition)))

    next(response)
    Revision.objects.filter(pk=revision.pk).update(content_hash="0" * 64)

    with pytest.raises(Unavailable):
        list(response)


def test_a_part_is_read_only_when_its_turn_comes(anybody: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revising, "ROWS_A_PART", 1)
    competition = over()
    response = iter(anybody.get(path(competition)))
    next(response)
    RevisionPart.objects.filter(nth=2).delete()

    assert b'"ann"' in next(response)
    with pytest.raises(Unavailable):
        next(response)


SCRIPT = re.compile(r"```python\n(import hashlib.*?)```", re.DOTALL)


def checked(folder: Path, *contents: bytes) -> tuple[int, str]:
    """What the script in the documents says of these files: its exit status and its words."""
    found = SCRIPT.search((Path(settings.BASE_DIR) / "docs/competitions.md").read_text())
    assert found
    assert len(found[1].splitlines()) <= 20
    (folder / "check_result.py").write_text(found[1])
    names = [f"{nth}.json" for nth in range(1, len(contents) + 1)]
    for name, content in zip(names, contents, strict=True):
        (folder / name).write_bytes(content)
    ran = subprocess.run(
        [sys.executable, "-I", "check_result.py", *names], cwd=folder, capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_the_script_that_a_result_links_is_that_of_the_documents() -> None:
    found = SCRIPT.search((Path(settings.BASE_DIR) / "docs/competitions.md").read_text())
    served = finders.find("check_result.py")

    assert found
    assert served
    assert Path(served).read_text() == found[1]


def test_the_script_of_the_documents_agrees_with_what_was_published_and_with_nothing_else(
    anybody: Caller, tmp_path: Path
) -> None:
    player("bob")
    competition = over({"ann": 9, "bob": 5, "한글": 4})
    changed(competition)
    changed(competition, "One account, “really”.")
    first, second, third = (body(anybody, path(competition, f"result.json?revision={nth}")) for nth in (1, 2, 3))

    status, words = checked(tmp_path, first, second, third)

    assert status == 0
    assert [f"revision {nth}, {total} players" in words for nth, total in ((1, 3), (2, 2), (3, 3))] == [True] * 3
    assert revisions(competition)[2].content_hash in words
    for tampered in (
        second.replace(b'"points":5', b'"points":6'),
        second.replace(b'"rank":1', b'"rank":3'),
        second.replace(b"Two accounts.", b"Three account"),
        second.replace(b'"points":5', b'"points": 5'),
        second[:17] + b"0" * 64 + second[81:],
        b" " + second,
    ):
        assert tampered != second
        assert checked(tmp_path, tampered) == (1, "1.json: changed since it was published\n")
    assert checked(tmp_path, first, third)[0] == 1
    assert "2.json: does not follow the revision before" in checked(tmp_path, first, third)[1]


def test_the_script_agrees_with_a_result_of_teams_and_with_no_other_team(anybody: Caller, tmp_path: Path) -> None:
    ended = {"starts_at": START - DAY, "ends_at": START + HOUR, "team_score": "sum"}
    competition = open_competition(**ended)  # type: ignore[arg-type]  # settings of competitions, each of its own type
    raced(competition, {"ann": 9, "bob": 5}, SOON - DAY)
    owls, cats = (TeamFactory.create(competition=competition, name=name) for name in ("Owls", "Cats"))
    competition.participants.update(team=owls)
    assert finish(competition, clock.now())
    move_participant(
        competition.participants.get(player=player("ann")), MoveTarget(cats.pk, None), "Wrong list.", clock.now(), None
    )

    first, second = (body(anybody, path(competition, f"result.json?revision={nth}")) for nth in (1, 2))

    assert checked(tmp_path, first, second)[0] == 0
    assert [[each["name"] for each in json.loads(content)["teams"]] for content in (first, second)] == [
        ["Owls", "Cats"],
        ["Cats", "Owls"],
    ]
    FinalResult.model_validate_json(second)
    for tampered in (
        second.replace(b'"team":"Cats"', b'"team":"Owls"'),
        second.replace(b'"members":1', b'"members":2'),
    ):
        assert tampered != second
        assert checked(tmp_path, tampered) == (1, "1.json: changed since it was published\n")

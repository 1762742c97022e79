"""The compiled load generator and what the peer run judges by; wrk itself only where it is installed."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from benchmarks.harness import wrk
from benchmarks.harness.figures import Bound, Figure, Sample, at_most
from benchmarks.harness.wrk import Ask
from benchmarks.nakama_peer import nakama
from benchmarks.nakama_peer.disruptions import Ranks, is_torn
from benchmarks.nakama_peer.rows import ROWS, STEPS, Row, compared, least
from benchmarks.nakama_peer.subjects import Place


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str, str]]

    def do_GET(self) -> None:
        self._answer("")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def _answer(self, sent: str) -> None:
        self.asked.append((self.path, self.headers.get("Authorization", ""), sent))
        told = b'{"rejected":0}' if "wrong" not in self.path else b'{"rejected":1}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.mark.long
@pytest.mark.skipif(not wrk.is_here(), reason=wrk.MISSING)
def test_it_asks_with_fresh_values_and_stops_at_a_wrong_answer(tmp_path: Path) -> None:
    _Answers.asked = []
    players = tmp_path / "players"
    players.write_text("alice\ttoken-of-alice\nbob\ttoken-of-bob\n")
    entry = '{"player":"{player}","id":"{id}","points":{points}}'
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_port
        ask = Ask("/scores", '"rejected":0', players, 2, '{"entries":[{entries}]}', entry, {"X": "1"}, connections=1)
        told = wrk.load(port, ask, 0.1, ())
        posted = list(_Answers.asked)
        _Answers.asked.clear()
        wrk.load(port, Ask("/of/{player}", '"rejected":0', players, connections=1), 0.1, ())
        read = {(path, token) for path, token, _ in _Answers.asked}
        with pytest.raises(SystemExit, match="wrong"):
            wrk.load(port, Ask("/wrong", '"rejected":0', players, connections=1), 0.1, ())
        server.shutdown()

    entries = [each for _, _, body in posted for each in json.loads(body)["entries"]]
    assert told.count >= len(posted) - 1 > 0
    assert len({each["id"] for each in entries}) == len(entries) == 2 * len(posted)
    assert {each["player"] for each in entries} == {"alice", "bob"}
    assert read == {("/of/alice", "Bearer token-of-alice"), ("/of/bob", "Bearer token-of-bob")}


def test_players_who_are_asked_for_are_spread_over_the_board(tmp_path: Path) -> None:
    assert list(wrk.asked_of(3)) == [1, 2, 3]
    assert len(wrk.asked_of(1_000_000)) == wrk.MOST_ASKED
    assert wrk.names(tmp_path, 2).read_text() == "player-1\nplayer-2\n"
    assert nakama.players(tmp_path, 2).read_text().startswith(f"{nakama.owner(1)}\t")


def test_a_cost_is_cpu_over_operations_and_is_short_above_its_bound() -> None:
    ours = [Sample(100, 1, {"served_cpu_seconds": 3.0}), Sample(300, 1, {"served_cpu_seconds": 5.0})]
    ours.append(Sample(100, 1, {"served_cpu_seconds": 2.0}))
    theirs = [Sample(400, 1, {"served_cpu_seconds": 4.0})] * 3  # ratios 3.0, 1.67 and 2.0

    figures = [compared(Row("own", "", "own", at_most(most)), ours, theirs) for most in (2.0, 1.9)]

    assert [str(each) for each in figures] == ["2.0", "2.0 short"]
    assert compared(Row("own", "", "own", Bound(), 100), ours, theirs).value == 2.0
    assert figures[0].to_json()["bound"] == {"at_most": 2.0}


def test_the_steps_of_a_row_add_up_and_a_batch_has_its_key_once() -> None:
    costs = {"floor_view": 0.1, "floor_key": 0.15, "floor_trip": 0.25, "floor_commit": 0.6, "plain_batch_redis_7": 0.01}
    figures = {
        name: Figure(None, ours=[Sample(1000 // (100 if "batch" in name else 1), 1.0, {"served_cpu_seconds": each})])
        for name, each in costs.items()
    }
    rows = {row.name: row for row in ROWS}

    assert least(rows["own"], 7, figures) == pytest.approx(0.25)
    assert least(rows["single_redis"], 7, figures) == pytest.approx(0.1 + 0.05 + 0.15)
    assert least(rows["single_hybrid_id"], 7, figures) == pytest.approx(0.1 + 0.05 + 2 * 0.15 + 0.5)
    assert least(rows["batch_redis"], 7, figures) == pytest.approx(0.01 + 0.15 / 100)
    assert set(rows) == {*STEPS, "batch_hybrid", "batch_redis"}


def test_a_window_is_torn_unless_it_is_one_stretch() -> None:
    whole = [Place("a", 7, 30), Place("b", 8, 30), Place("c", 9, 10)]

    assert not is_torn("b", whole)
    for torn in (
        [],
        whole[:1],
        [whole[1], Place("c", 10, 10)],
        [whole[0], Place("b", 9, 30)],
        [whole[0], Place("b", None, 30)],
        [Place("b", 7, 10), Place("c", 8, 30)],
        [*whole, Place("a", 10, 1)],
    ):
        assert is_torn("b", torn), torn
    assert is_torn("d", whole)


def test_a_rank_is_right_by_everybodys_points_and_ties_may_stand_either_way() -> None:
    ranks = Ranks({"a": 30, "b": 20, "c": 20, "d": 10})

    right = [Place("a", 1, 30), Place("b", 2, 20), Place("b", 3, 20), Place("d", 4, 10)]
    wrong = [None, Place("a", 2, 30), Place("a", 1, 29), Place("b", 4, 20), Place("d", None, 10), Place("e", 1, 30)]

    assert all(ranks.has(each) for each in right)
    assert not any(ranks.has(each) for each in wrong)

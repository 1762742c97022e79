"""Who was asked to wait comes at a moment of their own, and what a 503 says of each score is not lost."""

import json

import pytest

from sunwi_client import RetryPolicy, Score, errors
from sunwi_client.flow import Gate, Pause, Reply, call, request_flow
from sunwi_client.submitting import submit_flow
from tests.clients.test_refusals import run


def test_calls_that_a_gate_holds_back_do_not_all_come_in_the_moment_in_which_it_opens() -> None:
    gate = Gate()
    gate.shut(20)

    pauses = [next(request_flow(call("GET", "boards"), RetryPolicy(seconds=60), gate)) for _ in range(50)]

    seconds = [each.seconds for each in pauses if isinstance(each, Pause)]
    assert 19 < min(seconds) < min(seconds) + 0.2 < max(seconds) <= 21


@pytest.mark.parametrize(
    ("content", "results"),
    [
        ([{"status": "rejected", "code": "unavailable"}], [{"status": "rejected", "code": "unavailable"}]),
        (["rejected"], []),
        ("none", []),
        (None, []),
    ],
)
def test_a_503_carries_the_results_of_its_scores(content: object, results: object) -> None:
    problem = json.dumps({"code": "unavailable", "detail": "Away.", "results": content}).encode()
    scores = [Score(board=1, player="alice", points=5)]

    with pytest.raises(errors.Unavailable) as refused:
        run(submit_flow(scores, RetryPolicy(seconds=0), Gate()), [Reply(503, problem)])

    assert list(refused.value.results) == results

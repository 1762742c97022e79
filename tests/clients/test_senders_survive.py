"""Whatever is raised in telling of a score that does not count: a sender goes on, or says that it is over."""

import asyncio

import pytest

from sunwi_client import AsyncClient, AsyncSender, Bounds, Client, Score, Sender, SenderClosed, UncountedScore
from tests.clients.front import Canned, Front
from tests.clients.sending import NEVER, NOBODY, counts, one

pytestmark = pytest.mark.usefixtures("links")


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_nothing_that_is_raised_when_told_ends_the_thread_of_a_sender(
    site: str, key: str, board: int, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    def end(_: UncountedScore) -> None:
        raise error

    client = Client(site, key)
    sender = Sender(client, on_uncounted=end, bounds=Bounds(size=2, seconds=0, most=2))
    for nth in range(6):
        sender.add(Score(board=999, player="a", points=1) if nth < 3 else one(board, nth), timeout=20)

    assert sender.flush(20)
    sender.close()

    assert counts(client, board) == {"p3": 1, "p4": 1, "p5": 1}
    assert caplog.text.count("Telling of a score that does not count failed") == 3


def test_a_sender_whose_thread_has_ended_refuses_scores_and_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    monkeypatch.setattr("sunwi_client.sender.report_all", end_thread)
    sender = Sender(Client(NOBODY, "x"), bounds=Bounds(size=1, seconds=0, most=1))
    sender.add(one(1))
    sender._thread.join(20)

    assert not sender.flush()
    with pytest.raises(SenderClosed):
        sender.add(one(1))


def end_thread(*_args: object, **_options: object) -> None:
    raise RuntimeError("The thread is over.")


def test_a_sender_that_is_cancelled_while_it_tells_goes_on_telling_when_it_is_closed() -> None:
    told: list[str] = []

    async def cancel() -> None:
        begun = asyncio.Event()

        async def store(lost: UncountedScore) -> None:
            begun.set()
            await asyncio.sleep(0.05)
            told.append(lost.score.player)

        with Front("", *[Canned(401, b'{"code": "unauthenticated"}')] * 2) as front:
            async with AsyncClient(front.url, "x") as client:
                sender = AsyncSender(client, on_uncounted=store, bounds=Bounds(size=5, seconds=NEVER))
                for nth in range(7):
                    await sender.add(one(1, nth))
                await begun.wait()
                sender._task.cancel()
                await asyncio.wait([sender._task])
                with pytest.raises(SenderClosed):
                    await sender.add(one(1))
                assert not await sender.flush()
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(sender.close(), 0.12)
                await sender.close()

    asyncio.run(cancel())

    assert told == [f"p{nth}" for nth in range(7)]


def test_what_cancels_its_own_work_when_told_stops_nothing() -> None:
    told: list[str] = []

    async def run() -> None:
        async def fail(lost: UncountedScore) -> None:
            told.append(lost.score.player)
            raise asyncio.CancelledError

        async with AsyncClient(NOBODY, "x") as client:
            sender = AsyncSender(client, on_uncounted=fail, bounds=Bounds(size=5, seconds=NEVER))
            for nth in range(2):
                await sender.add(one(1, nth))
            await sender.close(0)

    asyncio.run(run())

    assert told == ["p0", "p1"]

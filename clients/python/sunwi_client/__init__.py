"""A client of Sunwi: sends scores to a site and reads its leaderboards; see docs/client.md.

The public API is what is exported here, the errors in ``sunwi_client.errors``, and the types of answers in
``sunwi_client.answers``; anything else may change.
"""

from sunwi_client.advice import advice
from sunwi_client.answers import Result
from sunwi_client.async_client import AsyncClient
from sunwi_client.async_sender import AsyncSender
from sunwi_client.client import Client
from sunwi_client.errors import NoAnswer, NotSunwi, Refused, SunwiError
from sunwi_client.outbox import Bounds, SenderClosed, SenderFull, UncountedScore
from sunwi_client.retry_policy import RetryPolicy
from sunwi_client.scores import Score, new_id
from sunwi_client.sender import Sender
from sunwi_client.submitting import counted
from sunwi_client.version import __version__

__all__ = [
    "AsyncClient",
    "AsyncSender",
    "Bounds",
    "Client",
    "NoAnswer",
    "NotSunwi",
    "Refused",
    "Result",
    "RetryPolicy",
    "Score",
    "Sender",
    "SenderClosed",
    "SenderFull",
    "SunwiError",
    "UncountedScore",
    "__version__",
    "advice",
    "counted",
    "new_id",
]

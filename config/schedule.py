"""The schedule of all periodic tasks of Sunwi's own project, which has every app."""

from foundation.worker.schedule import SCHEDULE

__all__ = ["SCHEDULE"]

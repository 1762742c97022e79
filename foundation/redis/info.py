"""What Redis says of itself: the answer to INFO."""

from collections.abc import Mapping


def read_info(answer: bytes | str) -> dict[str, str]:
    """The names and values of an answer to INFO."""
    text = answer.decode() if isinstance(answer, bytes) else answer
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in pairs if value}


def identity_of(info: Mapping[str, str]) -> str:
    """Whose memory answers (INFO server and replication): the process, and what it has been a primary of since.

    The run_id is drawn at each start, the master_replid at each promotion. Empty of a replica, or where it is not told.
    """
    if info.get("role") != "master" or not info.get("run_id") or not info.get("master_replid"):
        return ""
    return f"{info['run_id']}:{info['master_replid']}"


def is_full(info: Mapping[str, str]) -> bool:
    """Whether the server uses more than its ``maxmemory`` and refuses writes, by its own reckoning (INFO memory)."""
    limit = int(info.get("maxmemory", 0))
    return 0 < limit < int(info["used_memory"]) - int(info.get("mem_not_counted_for_evict", 0))

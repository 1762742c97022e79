"""Reading Redis's answer to INFO."""

from collections.abc import Mapping


def read_info(answer: bytes | str) -> dict[str, str]:
    """Parse an answer to INFO into names and values."""
    text = answer.decode() if isinstance(answer, bytes) else answer
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in pairs if value}


def identity_of(info: Mapping[str, str]) -> str:
    """The identity of a primary, from INFO server and replication: ``run_id:master_replid``.

    The run_id changes at each start, the master_replid at each promotion. Empty for a replica, or if either is missing.
    """
    if info.get("role") != "master" or not info.get("run_id") or not info.get("master_replid"):
        return ""
    return f"{info['run_id']}:{info['master_replid']}"


def is_full(info: Mapping[str, str]) -> bool:
    """Whether the server is over its ``maxmemory`` and refuses writes, from INFO memory as Redis itself counts."""
    limit = int(info.get("maxmemory", 0))
    return 0 < limit < int(info["used_memory"]) - int(info.get("mem_not_counted_for_evict", 0))

"""Reading Redis's answers, that to INFO above all."""

from collections.abc import Mapping


def read_info(answer: bytes | str) -> dict[str, str]:
    """Parse an answer to INFO into names and values."""
    pairs = (line.partition(":") for line in as_text(answer).splitlines())
    return {name: value.strip() for name, _, value in pairs if value}


def as_text(part: bytes | str) -> str:
    """A part of an answer as text, also over connections that do not decode."""
    return part.decode() if isinstance(part, bytes) else part


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

"""Which families of redis boards have nothing that SQL lacks: asked of all at once, since most are quiet."""

from collections.abc import Sequence

from foundation.errors import Unavailable
from foundation.redis.client import RedisClient, ScriptCall
from leaderboards.models import Part
from leaderboards.stores.redis.reads import lua_bool, script


def quiet_parts(link: RedisClient, parts: Sequence[Part]) -> set[Part]:
    """Return those without a dirty standing, in one round trip to each server; not those that cannot tell now."""
    calls = [
        ScriptCall(script("mirror_read"), dirty_keys(part), [part.generation, lua_bool(part.layout.in_member), "0", 1])
        for part in parts
    ]
    try:
        answers = link.try_many(calls) if calls else []
    except Unavailable:
        return set()
    told = zip(parts, answers, strict=True)
    return {part for part, answer in told if not isinstance(answer, Unavailable) and int(answer[0]) == 0}


def dirty_keys(part: Part) -> list[str]:
    """Return the keys of ``mirror_read.lua``."""
    family = part.family
    return [family.gen, family.zset, family.members, family.stored_state, family.dirty]

"""What so many players need: rates, nodes, memory, SQL volume, network, times of repair, and the drivers of money.

All of it is arithmetic on figures; nothing here was tried at that size. Bytes are decimal: 1 GB is 10^9.
"""

import math
from dataclasses import dataclass, fields
from typing import Any

from leaderboards.core.capacity.figures import Figures
from leaderboards.core.capacity.load import Load
from leaderboards.core.ranking.rules import Encoding

DAY_SECONDS, MONTH_DAYS, YEAR_DAYS = 86_400, 30, 365
GB = 1e9


@dataclass(frozen=True, slots=True)
class Plan:
    """What is needed, in the groups in which it is printed; numbers by name, the unit in the name."""

    rates: dict[str, float]
    redis: dict[str, float]
    web: dict[str, float]
    worker: dict[str, float]
    sql: dict[str, float]
    network: dict[str, float]
    repair: dict[str, float]
    drivers: dict[str, float]
    month: dict[str, float]
    not_supported: list[str]

    def to_json(self) -> dict[str, Any]:
        """Return it as a document."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


def plan(load: Load, figures: Figures) -> Plan:
    """Compute what ``load`` needs."""
    sums = _Sums(load, figures)
    rates, redis, web, worker = sums.rates(), sums.redis(), sums.web(), sums.worker()
    sql, network = sums.sql(), sums.network()
    drivers = {
        "redis_memory_gb": redis["memory_with_replicas_gb"],
        "cores": redis["servers_with_replicas"] + web["cores"] + worker["cores"] + sql["cores"],
        "sql_disk_gb": sql["volume_after_a_year_gb"] * (1 + load.replicas),
        "egress_gb_a_month": network["egress_gb_a_month"],
    }
    return Plan(
        rates=rates,
        redis=redis,
        web=web,
        worker=worker,
        sql=sql,
        network=network,
        repair=sums.repair(),
        drivers=drivers,
        month=sums.month(drivers),
        not_supported=sums.not_supported(redis, rates),
    )


class _Sums:
    """The sums of one plan."""

    def __init__(self, load: Load, figures: Figures) -> None:
        self._load, self._figures = load, figures
        self._updates = load.players * load.updates_per_day
        self._reads = load.players * load.reads_per_day

    def _figure(self, name: str) -> float:
        return self._figures[name].value

    def _busy(self, server: str) -> float:
        """Seconds of CPU a second that the peak takes in one kind of server."""
        way = "batch" if self._load.batch > 1 else "single"
        score = self._figure(f"score_{way}_{self._load.storage}_{server}_ms")
        read = self._figure(f"read_{server}_ms")
        if server == "redis":
            score, read = self._in_redis(score, read)
        mean = (self._updates * score + self._reads * read) / 1000 / DAY_SECONDS
        return mean * self._load.peak

    def _in_redis(self, score: float, read: float) -> tuple[float, float]:
        """What a score and a read take of a board of these settings, from what they take of a plain, undivided one."""
        load = self._load
        if load.partitions > 1:
            read *= load.partitions * self._figure("partition_rounds")
        if load.encoding == Encoding.COMPACT:
            score, read = score * self._figure("compact_score_times"), read * self._figure("compact_read_times")
        return score, read

    @property
    def _bytes_per_standing(self) -> float:
        is_compact = self._load.encoding == Encoding.COMPACT
        return self._figure(f"redis_bytes_per_{'compact_' if is_compact else ''}standing")

    def rates(self) -> dict[str, float]:
        """Updates, requests with them, and reads a second."""
        mean = self._updates / DAY_SECONDS
        return {
            "updates_a_day": self._updates,
            "updates_a_second": mean,
            "updates_a_second_at_peak": mean * self._load.peak,
            "requests_of_scores_a_second_at_peak": mean * self._load.peak / self._load.batch,
            "reads_a_second_at_peak": self._reads / DAY_SECONDS * self._load.peak,
        }

    def redis(self) -> dict[str, float]:
        """Memory of the boards' Redis, and how many servers hold it and keep up."""
        load = self._load
        standings = load.players * load.boards * load.periods_in_redis * self._bytes_per_standing
        ids = 2 * self._updates * self._figure("redis_bytes_per_id") if load.storage == "redis" else 0.0
        memory = (standings + ids) * self._figure("redis_headroom")
        by_memory = max(1, math.ceil(memory / (load.node_memory_gb * GB)))
        by_cpu = max(1, math.ceil(self._busy("redis") / load.load))
        servers = max(by_memory, by_cpu)
        return {
            "standings_gb": standings / GB,
            "ids_gb": ids / GB,
            "memory_gb": memory / GB,
            "servers_by_memory": by_memory,
            "servers_by_cpu": by_cpu,
            "servers": servers,
            "memory_with_replicas_gb": memory / GB * (1 + load.replicas),
            "servers_with_replicas": servers * (1 + load.replicas),
        }

    def web(self) -> dict[str, float]:
        """Cores of web processes, of which each uses about one, and their memory."""
        cores = max(1, math.ceil(self._busy("web") / self._load.load))
        return {"cores": cores, "memory_gb": cores * self._figure("web_process_bytes") / GB}

    def worker(self) -> dict[str, float]:
        """Cores of workers that copy to SQL what Redis decided, PostgreSQL's share in that included."""
        if self._load.storage != "redis":
            return {"cores": 1}
        peak = self.rates()["updates_a_second_at_peak"]
        return {"cores": max(1, math.ceil(peak / self._figure("mirror_standings_a_second") / self._load.load))}

    def sql(self) -> dict[str, float]:
        """Cores and volume of PostgreSQL, its indexes included; after a year with all periods that ended in it."""
        load, figure = self._load, self._figure
        ended = YEAR_DAYS / load.period_days
        players = load.players * figure("sql_bytes_per_player")
        a_period = load.players * load.boards
        standings = a_period * (ended + 1) * figure("sql_bytes_per_standing")
        finals = a_period * ended * figure("sql_bytes_per_final_standing")
        kept_days = 0.0 if load.storage == "redis" else min(load.period_days + load.keep_submissions_days, YEAR_DAYS)
        submissions = self._updates * kept_days * figure("sql_bytes_per_submission")
        return {
            "cores": max(1, math.ceil(self._busy("sql") / load.load)),
            "players_gb": players / GB,
            "standings_after_a_year_gb": standings / GB,
            "final_standings_after_a_year_gb": finals / GB,
            "submissions_gb": submissions / GB,
            "volume_after_a_year_gb": (players + standings + finals + submissions) / GB,
        }

    def network(self) -> dict[str, float]:
        """What callers send and are sent; between the servers it is about the same again."""
        figure, load = self._figure, self._load
        requests = self._updates / load.batch
        received = requests * figure("request_bytes") + self._updates * figure("entry_bytes")
        sent = requests * figure("answer_bytes") + self._updates * figure("result_bytes")
        received += self._reads * figure("request_bytes")
        sent += self._reads * (figure("answer_bytes") + figure("row_bytes"))
        to_mbit = 8 / 1e6 / DAY_SECONDS * load.peak
        return {
            "in_mbit_a_second_at_peak": received * to_mbit,
            "out_mbit_a_second_at_peak": sent * to_mbit,
            "egress_gb_a_month": sent * MONTH_DAYS / GB,
        }

    def repair(self) -> dict[str, float]:
        """Hours for one period of one board: bringing it back to an empty Redis, and closing it."""
        players = self._load.players
        hours = {"rebuild_hours": "rebuild_standings_a_second", "close_hours": "close_standings_a_second"}
        return {name: players / self._figure(rate) / 3600 for name, rate in hours.items()}

    def month(self, drivers: dict[str, float]) -> dict[str, float]:
        """Money a month for each driver that has a price; none has one until a reader writes it."""
        prices = {name: self._figure(f"price_of_{name}") for name in drivers}
        return {name: drivers[name] * price for name, price in prices.items() if price}

    def not_supported(self, redis: dict[str, float], rates: dict[str, float]) -> list[str]:
        """Return a sentence for each thing that this needs and the product does not do today."""
        load, told = self._load, []
        if redis["servers"] > 1:
            told.append(
                f"{redis['servers']:,.0f} Redis servers for boards were not tried. A Redis Cluster spreads boards over "
                "them, and `partitions` one board; but a rank asks every partition, so more servers do not make ranks "
                "cheaper."
            )
        if redis["servers"] > load.boards * load.partitions:
            told.append(
                f"More Redis servers than the {load.boards * load.partitions:,} that {load.boards:,} boards in "
                f"{load.partitions} partitions can use: divide them further (--partitions), or read percentiles."
            )
        if load.players / load.partitions * self._bytes_per_standing > load.node_memory_gb * GB:
            told.append(
                "A part of a period larger than one server's memory: give the board more `partitions`, or make it "
                "`compact`."
            )
        mirrored = self._figure("mirror_standings_a_second")
        if load.storage == "redis" and rates["updates_a_second_at_peak"] / load.boards > mirrored:
            told.append(
                f"More than {mirrored:,.0f} updates a second of one board that Redis decides: one worker mirrors a "
                "period, and would fall behind at the peak."
            )
        if self._busy("sql") / load.load > self._figure("sql_cores_of_one_primary"):
            cores = self._figure("sql_cores_of_one_primary")
            told.append(f"More than {cores:,.0f} cores of PostgreSQL: all writes go to one primary today.")
        return told

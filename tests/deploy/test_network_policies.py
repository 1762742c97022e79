"""The network policies for Kubernetes, read as a cluster's network does: who may open a connection to whom."""

from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.config.test_compose import STORES
from tests.deploy.test_kubernetes import PODS, RESOURCES, VARIABLES

POLICIES = [each for each in RESOURCES if each["kind"] == "NetworkPolicy"]
OURS = {name: {"app": "sunwi", "part": name} for name in PODS}
STRANGER = {"app": "another"}
SQL, REDIS, NAMES, HTTPS = 5432, 6379, 53, 443
OUTSIDE, SECRETS_OF_CLOUDS = "203.0.113.9", "169.254.169.254"


def selects(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    told = selector.get("matchLabels", {}).items()
    among = selector.get("matchExpressions", [])
    assert all(each["operator"] == "In" for each in among)
    return all(labels.get(key) == value for key, value in told) and all(
        labels.get(each["key"]) in each["values"] for each in among
    )


def is_peer(peer: dict[str, Any], other: dict[str, str] | str) -> bool:
    if "ipBlock" not in peer:
        return isinstance(other, dict) and selects(peer["podSelector"], other)
    if isinstance(other, dict):
        return False  # not every network takes pods for addresses
    blocks = [peer["ipBlock"]["cidr"], *peer["ipBlock"].get("except", [])]
    inside = [ip_address(other) in ip_network(block) for block in blocks]
    return inside[0] and not any(inside[1:])


def allows(direction: str, pod: dict[str, str], other: dict[str, str] | str, port: int) -> bool:
    """Whether the policies of ``pod`` let it have this connection, in the direction as they name it."""
    about = [
        each["spec"] for each in POLICIES
        if selects(each["spec"]["podSelector"], pod) and direction in each["spec"]["policyTypes"]
    ]  # fmt: skip  # as a list
    key, side = ("from", "ingress") if direction == "Ingress" else ("to", "egress")
    return not about or any(
        (key not in rule or any(is_peer(peer, other) for peer in rule[key]))
        and ("ports" not in rule or port in [each["port"] for each in rule["ports"]])
        for spec in about
        for rule in spec.get(side, [])
    )


def may(source: dict[str, str] | str, target: dict[str, str] | str, port: int) -> bool:
    """Whether both ends let it be."""
    leaves = isinstance(source, str) or allows("Egress", source, target, port)
    return leaves and (isinstance(target, str) or allows("Ingress", target, source, port))


@pytest.mark.parametrize("name", OURS)
def test_each_pod_reaches_the_stores_and_names_and_the_worker_alone_the_rest_of_the_world(name: str) -> None:
    pod, store = OURS[name], {"app": "postgres"}

    assert all(may(pod, store, port) for port in (SQL, REDIS))
    assert all(may(pod, OUTSIDE, port) for port in (SQL, REDIS, NAMES))  # stores may be anywhere
    assert may(pod, STRANGER, NAMES)
    assert may(pod, OUTSIDE, HTTPS) == (name == "worker")
    assert not may(pod, SECRETS_OF_CLOUDS, 80)
    assert not may(pod, store, HTTPS)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("source", [STRANGER, OUTSIDE], ids=["another pod", "from outside"])
def test_a_pod_is_reached_at_the_ports_that_it_has_and_no_others(name: str, source: dict[str, str] | str) -> None:
    has = {port["containerPort"] for port in PODS[name]["containers"][0].get("ports", [])}

    assert {port for port in (22, 80, 8000, 9808, SQL) if may(source, OURS[name], port)} == has


@pytest.mark.parametrize("name", sorted(STORES))
def test_stores_are_reached_by_our_pods_alone_and_reach_nobody(name: str) -> None:
    store = {"app": name}

    for port in (SQL, REDIS, 22):
        assert not may(STRANGER, store, port)
        assert not may(OUTSIDE, store, port)
    assert not may(OURS["web"], store, 22)
    assert not any(may(store, target, port) for target in (STRANGER, OUTSIDE, OURS["web"]) for port in (NAMES, HTTPS))


def test_ports_of_stores_are_those_of_the_variables() -> None:
    addresses = [urlsplit(value) for name, value in VARIABLES.items() if name.endswith("_URL") and "@" in value]

    assert {address.port for address in addresses} == {SQL, REDIS}
    assert {address.hostname for address in addresses} == STORES

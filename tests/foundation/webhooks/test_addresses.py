"""Where a message may go. Names are resolved by a stand-in: no test asks the network."""

import socket
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from foundation.webhooks import addresses
from foundation.webhooks.addresses import BadAddress, PrivateAddress


def lead_to(monkeypatch: pytest.MonkeyPatch, *ips: str) -> None:
    def found(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", found)


@pytest.mark.parametrize(
    ("url", "authority", "path"),
    [
        ("https://hooks.example", "hooks.example", "/"),
        ("https://hooks.example:443/a?b=c#d", "hooks.example", "/a?b=c"),
        ("https://HOOKS.example:8443/a%20b", "hooks.example:8443", "/a%20b"),
        ("https://[2606:4700::1]:8443/?a", "[2606:4700::1]:8443", "/?a"),
        ("https://xn--9d0bm53a.example/", "xn--9d0bm53a.example", "/"),
    ],
)
def test_an_address_comes_apart(url: str, authority: str, path: str) -> None:
    target = addresses.parse(url)

    assert (target.authority, target.path) == (authority, path)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://hooks.example/", "begins with https://"),
        ("ftp://hooks.example/", "begins with https://"),
        ("file:hooks", "begins with https://"),
        ("hooks.example", "begins with https://"),
        ("", "begins with https://"),
        ("https://", "name of a host"),
        ("https:///path", "name of a host"),
        ("https://user:secret@hooks.example/", "user or password"),
        ("https://hooks.example@127.0.0.1/", "user or password"),
        ("https://hooks.example\\@127.0.0.1/", "user or password"),
        ("https://hooks.example\\.evil/", "name of a host"),
        ("https://[fe80::1%25eth0]/", "name of a host"),
        ("https://[::1/", "no address"),
        ("https://hooks.example:99999/", "no address"),
        ("https://hooks.example:x/", "no address"),
        ("https://hooks.example/a b", "ASCII without blanks"),
        ("https://hooks.example/\r\nX: y", "ASCII without blanks"),
        ("https://순위.example/", "ASCII without blanks"),
    ],
)
def test_an_address_that_nothing_can_be_sent_to_is_refused_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(BadAddress, match=why):
        addresses.parse(url)


def test_http_is_for_private_addresses(settings: Settings) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True

    assert addresses.parse("http://intranet:8000/hook").authority == "intranet:8000"


@pytest.mark.parametrize("ip", ["8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_the_public_internet_is_public(ip: str) -> None:
    assert addresses.is_public(ip)


@pytest.mark.parametrize(
    "ip",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
        *("169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "192.0.2.1"),
        *("198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1"),
        *("255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254"),
        *("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::a00:1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1"),
        *("fd00:ec2::254", "ff02::1", "2001:db8::1", "2001::1", "2002:7f00:1::", "100::1"),
    ],
)
def test_what_is_inside_special_or_carries_such_an_address_is_not(ip: str) -> None:
    assert not addresses.is_public(ip)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001", "127.1"])
def test_loopback_is_refused_however_it_is_written(host: str) -> None:
    with pytest.raises(PrivateAddress, match="not on the public internet"):
        addresses.resolve(addresses.parse(f"https://{host}/"))


def test_one_private_address_of_a_name_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    lead_to(monkeypatch, "8.8.8.8", "10.0.0.1")

    with pytest.raises(PrivateAddress, match=r"leads to 10\.0\.0\.1"):
        addresses.resolve(addresses.parse("https://hooks.example/"))


def test_private_addresses_can_be_allowed(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    lead_to(monkeypatch, "10.0.0.1", "10.0.0.1", "::1")

    assert addresses.resolve(addresses.parse("http://intranet/")) == ["10.0.0.1", "::1"]


def test_a_name_that_nobody_knows_or_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> list[Any]:
        raise socket.gaierror("Name or service not known")

    with pytest.raises(BadAddress, match="cannot be resolved"):
        addresses.resolve(addresses.parse(f"https://{'a' * 70}.example/"))
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(BadAddress, match="cannot be resolved: Name or service not known"):
        addresses.resolve(addresses.parse("https://nowhere.example/"))

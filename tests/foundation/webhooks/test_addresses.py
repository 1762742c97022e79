"""Where a message may go. Names are resolved by a stand-in: no test asks the network."""

import socket
from unittest.mock import Mock

import pytest
from pytest_django.fixtures import Settings

from foundation.webhooks import addresses
from foundation.webhooks.addresses import BadAddress, PrivateAddress
from tests.foundation.webhooks.receiver import lead_to

PARTS = {
    "https://hooks.example": ("hooks.example", "/"),
    "https://hooks.example:443/a?b=c#d": ("hooks.example", "/a?b=c"),
    "https://HOOKS.example:8443/a%20b": ("hooks.example:8443", "/a%20b"),
    "https://[2606:4700::1]:8443/?a": ("[2606:4700::1]:8443", "/?a"),
    "https://xn--9d0bm53a.example/": ("xn--9d0bm53a.example", "/"),
}
BAD = {
    "begins with https://": ("http://hooks.example/", "ftp://hooks.example/", "file:hooks", "hooks.example", ""),
    "name of a host": ("https://", "https:///path", "https://hooks.example\\.evil/", "https://[fe80::1%25eth0]/"),
    "user or password": tuple(
        f"https://{name}@127.0.0.1/" for name in ("user:secret", "hooks.example", "hooks.example\\")
    ),
    "no address": ("https://[::1/", "https://hooks.example:99999/", "https://hooks.example:x/"),
    "ASCII without blanks": ("https://hooks.example/a b", "https://hooks.example/\r\nX: y", "https://순위.example/"),
}


def test_an_address_comes_apart_or_is_refused_with_the_reason() -> None:
    found = {url: addresses.parse(url) for url in PARTS}

    assert {url: (target.authority, target.path) for url, target in found.items()} == PARTS
    for why, urls in BAD.items():
        for url in urls:
            with pytest.raises(BadAddress, match=why):
                addresses.parse(url)


PUBLIC = ("8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808")
INSIDE = (
    *("127.0.0.1", "127.8.8.8", "0.0.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "192.0.2.1"),
    *("198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1"),
    *("255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254"),
    *("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::a00:1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1"),
    *("fd00:ec2::254", "ff02::1", "2001:db8::1", "2001::1", "2002:7f00:1::", "100::1"),
)


def test_what_is_inside_special_or_carries_such_an_address_is_not_public() -> None:
    assert [ip for ip in (*PUBLIC, *INSIDE) if addresses.is_public(ip)] == list(PUBLIC)


def test_loopback_is_refused_however_it_is_written_and_one_private_address_of_a_name_is_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for host in ("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001", "127.1"):
        with pytest.raises(PrivateAddress, match="not on the public internet"):
            addresses.resolve(addresses.parse(f"https://{host}/"))

    lead_to(monkeypatch, ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(PrivateAddress, match=r"leads to 10\.0\.0\.1"):
        addresses.resolve(addresses.parse("https://hooks.example/"))


def test_private_addresses_can_be_allowed_and_are_reached_over_http_too(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    lead_to(monkeypatch, ["10.0.0.1", "10.0.0.1", "::1"])

    target = addresses.parse("http://hooks.example:8000/hook")

    assert target.authority == "hooks.example:8000"
    assert addresses.resolve(target) == ["10.0.0.1", "::1"]


def test_a_name_that_nobody_knows_or_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadAddress, match="cannot be resolved"):
        addresses.resolve(addresses.parse(f"https://{'a' * 70}.example/"))
    monkeypatch.setattr(socket, "getaddrinfo", Mock(side_effect=socket.gaierror("Name or service not known")))
    with pytest.raises(BadAddress, match="cannot be resolved: Name or service not known"):
        addresses.resolve(addresses.parse("https://nowhere.example/"))

"""Blocks of addresses: which are taken as typed, and whose address lies in them."""

from ipaddress import ip_address

import pytest

from foundation.security.networks import BadNetwork, contains, read_blocks


def test_blocks_are_kept_once_in_their_usual_spelling() -> None:
    typed = ["192.0.2.0/24", " 192.0.2.0/255.255.255.0 ", "", "198.51.100.7", "2001:DB8:0::/32", "::1", "0.0.0.0/0"]

    assert read_blocks(typed) == ["192.0.2.0/24", "198.51.100.7/32", "2001:db8::/32", "::1/128", "0.0.0.0/0"]
    assert read_blocks([]) == []


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("game.example", "is no block of addresses"),
        ("192.0.2", "is no block of addresses"),
        ("192.0.2.0/33", "is no block of addresses"),
        ("010.0.0.1", "is no block of addresses"),
        ("192.0.2.7/24", "write 192.0.2.0/24"),
        ("2001:db8::1/32", "write 2001:db8::/32"),
        ("::ffff:192.0.2.0/120", "write IPv4 as"),
        ("fe80::1%eth0", "without a zone"),
    ],
)
def test_what_is_no_block_is_refused_with_what_to_write(typed: str, said: str) -> None:
    with pytest.raises(BadNetwork, match=said):
        read_blocks(["192.0.2.0/24", typed])


def test_a_key_has_at_most_fifty_blocks() -> None:
    blocks = [f"10.0.{nth}.0/24" for nth in range(51)]

    assert len(read_blocks(blocks[:50])) == 50
    with pytest.raises(BadNetwork, match="at most 50"):
        read_blocks(blocks)


@pytest.mark.parametrize(
    ("address", "is_held"),
    [
        ("192.0.2.0", True),
        ("192.0.2.255", True),
        ("192.0.3.0", False),
        ("192.0.1.255", False),
        ("::ffff:192.0.2.9", True),  # as a socket for both families shows IPv4
        ("::192.0.2.9", False),
        ("2001:db8:ffff::1", True),
        ("2001:db9::", False),
    ],
)
def test_a_block_ends_where_it_ends(address: str, is_held: bool) -> None:
    assert contains(["192.0.2.0/24", "2001:db8::/32"], ip_address(address)) is is_held

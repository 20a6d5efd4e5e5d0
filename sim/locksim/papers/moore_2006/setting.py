"""The measurement of 2006: rows of the table, hosts, and what a message is on the link."""

from __future__ import annotations

from dataclasses import dataclass

from locksim.lang import US

LINK_BPS = 10**9
FRAME_BYTES = 14 + 4 + 8 + 12
"""Bytes of Ethernet's header, checksum, preamble and gap."""
SHORTEST_BYTES = 46
"""Smallest payload of an Ethernet frame, in bytes."""
MTU = 1500
IP_BYTES, TCP_BYTES, UDP_BYTES = 20, 32, 8
"""Headers; TCP's with time stamps (1448 of 1538 bytes give the measured 941.48 Mbit/s)."""
LARGEST_IP = 65535
SEND_PS = 3 * US
"""A sender's work for a frame; below the link's time in every configuration, otherwise assumed."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One row of the table.

    Arguments:
        option_bytes: IP option in every packet. strict: whether the receiver checks its categories
            strictly. cached: whether the label cache is on.
    """

    option_bytes: int = 0
    strict: bool = False
    cached: bool = True


CONFIGURATIONS = {
    "NoPatch": Configuration(),
    "Disable": Configuration(),
    "Unlabel": Configuration(),
    "C_NoCat": Configuration(12),
    "C_FlCat": Configuration(40, strict=True),
    "C_F_LxV": Configuration(40),
    "C_F_NoC": Configuration(40, strict=True, cached=False),
}


@dataclass(frozen=True, slots=True)
class Works:
    """The works of the hosts, in picoseconds.

    Arguments:
        tcp_ps, udp_ps: one host's work for a transaction without labels.
        short_ps, long_ps: work for a message's option of 12 and of 40 bytes, mean of the hosts.
        check_ps: work for the strict check of a packet's option, mean of the hosts.
        receive_ps: the server's work for a frame of a stream, without labels.
        percent: the server's time for options and checks, in per cent of the mean.
        client_ps, server_ps: work for the translation of an option into a label.
    """

    tcp_ps: int = 40 * US
    udp_ps: int = 40 * US
    short_ps: int = 4 * US
    long_ps: int = 7 * US
    check_ps: int = US
    receive_ps: int = 7 * US
    percent: int = 100
    client_ps: int = 20 * US
    server_ps: int = 20 * US


@dataclass(frozen=True, slots=True)
class Traffic:
    """A message on the link.

    Arguments:
        bits: bits of user data. frames: number of frames.
        frame_ps: time of a frame on the link. last_ps: time of the last frame.
    """

    bits: int
    frames: int
    frame_ps: int
    last_ps: int


def traffic(test: str, option_bytes: int) -> Traffic:
    """Traffic of one message of a test on the link.

    Arguments:
        test: of ``TESTS``. option_bytes: of the IP option in every packet, fragments included.
    """
    head = IP_BYTES + option_bytes
    if test == "tcp_stream":
        data = MTU - head - TCP_BYTES
        return Traffic(data * 8, 1, wire_ps(MTU), wire_ps(MTU))
    if test == "udp_stream":
        # One datagram as large as IP allows; a fragment carries a multiple of eight bytes.
        datagram = LARGEST_IP - head
        piece = (MTU - head) & ~7
        frames = -(-datagram // piece)
        last = datagram - piece * (frames - 1)
        bits = (datagram - UDP_BYTES) * 8
        return Traffic(bits, frames, wire_ps(piece + head), wire_ps(last + head))
    shortest = wire_ps(head + (TCP_BYTES if test == "tcp_rr" else UDP_BYTES) + 1)
    return Traffic(8, 1, shortest, shortest)


def wire_ps(ip_bytes: int) -> int:
    """Time of an IP packet or fragment on the link, in picoseconds."""
    return (max(ip_bytes, SHORTEST_BYTES) + FRAME_BYTES) * 8 * 10**12 // LINK_BPS

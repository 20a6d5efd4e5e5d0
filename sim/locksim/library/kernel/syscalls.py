"""System-call paths of Linux 2.4 with SELinux: which access checks each row of lmbench passes.

A path is a count of hooks by name. What a row costs under SELinux is its time without, and

    checks x check  +  labels x label  +  packets x packet

where a check is one question to the access vector cache, a label is one computation of a new
object's label by the security server (nothing remembers it in 2001), and a packet is the label of
one packet on its way in or out: a structure allocated for it, and a search of the policy's table of
hosts. Label and packet are given in checks, so that they mean the same on another CPU.

Where the counts come from, by the file that says it:

- *Which checks a hook asks*: the SELinux module for 2.4, security/selinux/hooks.c (of 2002, in
  muromec/linux-ezxdev). ``inode_permission`` asks once for each directory of a path and once for
  an opened file; ``file_permission`` once for each read or write; ``may_create`` three times, with
  one label computed there and one in ``post_create``; ``may_link`` twice; ``ip_postroute_last`` and
  ``ip_preroute_last`` twice each (interface and host).
- *How often a call passes a hook*: Linux 2.4.0. ``lookup_hash`` in fs/namei.c asks for the search
  of a directory that the walk has already asked about, so creating and deleting ask twice;
  ``may_create`` and ``may_delete`` there ask to write it. net/unix/af_unix.c cuts what is written
  into halves of the socket's buffer. net/ipv4/tcp_input.c acknowledges every second full segment,
  and a FIN not at once (``tcp_fin``).
- *What a test calls*: lmbench 2 (ricarkol/lmbench2, scripts/lmbench and src). The file test creates
  names without a directory, and writes to each file once, also to those of 0 KB (lat_fs.c). Select
  has 100 copies of one descriptor (lat_select.c). An RPC server waits on its sockets for UDP and
  for TCP (lat_rpc.c). Bandwidths move 64 KB at a time (bench.h), the others one byte.

The kernel of April 2001 was a patch and not yet a module. Where its papers differ from the module,
the papers count: a send or a receive asks about the socket and about the connection's two ends,
UNIX sockets too (smalley-2001), where the module asks about the descriptor instead of the ends; and
files and sockets have a permission to be polled (Loscocco and Smalley, technical report of 2001,
"Networking, Permissions"), which the module lacks: each descriptor of a select is taken to ask
once.

Assumed is one check for the descriptor that an open makes: descriptors were a class of their own in
2001 (the same report), and without it open/close falls short by that one check.

Fitted is how deep stat's and open's file lies. lmbench keeps it in a directory that it asks its
user for, /usr/tmp by default, and neither paper names one; on Red Hat's systems that was a link,
which would be eight checks. The first table's stat asks for 4.7, so ``DIRECTORIES`` are 4.

What is estimated. Program start: the files that a loader opens (the shell's, three times as many);
two or three checks more or less change nothing at that length.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

LABEL = "label computed"
PACKET = "packet labelled"
NO_CHECK = (LABEL, PACKET)
DIRECTORIES = 4
"""Searched on the way to the file of stat and open/close (fitted)."""

Hooks = Counter[str]


def path(**hooks: int) -> Hooks:
    """A path by its hooks: ``path(dir_search=4, getattr=1)``.

    Names are free, but for the two works ``label`` and ``packet``, which are not checks.
    """
    names = {"label": LABEL, "packet": PACKET}
    return Counter({names.get(k, k.replace("_", " ")): n for k, n in hooks.items()})


def times(n: int, one: Hooks) -> Hooks:
    """A path passed ``n`` times."""
    return Counter({hook: n * count for hook, count in one.items()})


NOTHING = path()
READ = path(file_read=1)
WRITE = path(file_write=1)
FSTAT = path(file_getattr=1)
MMAP = path(file_map=1)
KILL = path(process_signal=1)
FORK = path(process_fork=1, process_wait=1)


def lookup(directories: int) -> Hooks:
    """Walking a path name: the search of each directory."""
    return path(dir_search=directories)


def open_file(directories: int) -> Hooks:
    """Opening a file that exists, and closing it."""
    return lookup(directories) + path(file_read_at_open=1, fd_create=1)


STAT = lookup(DIRECTORIES) + path(file_getattr=1)
OPEN_CLOSE = open_file(DIRECTORIES)
IN_DIRECTORY = lookup(2) + path(dir_write=1)  # searched by the walk and by lookup_hash
CREATE = IN_DIRECTORY + path(dir_add_name=1, file_create=1, fs_associate=1, fd_create=1, label=2)
CREATE_AND_WRITE = CREATE + WRITE
UNLINK = IN_DIRECTORY + path(dir_remove_name=1, file_unlink=1)

EXEC = lookup(2) + path(file_execute=1, execute_no_trans=1, label=1)
INTERPRETER = lookup(2) + path(file_execute=1) + times(4, MMAP)
LIBRARY = open_file(2) + READ + FSTAT + times(5, MMAP)
PRELOAD_AND_CACHE = lookup(2) + open_file(2) + FSTAT + MMAP
PROGRAM = EXEC + INTERPRETER + PRELOAD_AND_CACHE + LIBRARY + WRITE
SHELL = PROGRAM + times(2, LIBRARY) + times(3, OPEN_CLOSE) + times(6, FSTAT)

STREAM_SEND = path(socket_write=1, connection=1)
STREAM_RECEIVE = path(socket_read=1, connection=1)
PACKET_OUT = path(netif=1, node=1, packet=1)
PACKET_IN = path(netif=1, node=1, packet=1)
SEND = STREAM_SEND + PACKET_OUT
RECEIVE = STREAM_RECEIVE + PACKET_IN
POLL = path(fd_poll=1)
CONNECT = (
    path(socket_create=1, socket_connect=1, connection=1)
    + times(3, PACKET_OUT)  # SYN, ACK, FIN
    + PACKET_IN
)
ACCEPT = path(connection=1) + PACKET_IN + PACKET_OUT


@dataclass(frozen=True)
class Row:
    """A row of lmbench.

    Arguments:
        here: the path passed on the machine that is measured.
        there: on the other host of a network test, which the test waits for. Nothing else goes on
            meanwhile, so times add up.
        aside: what the other host does without being waited for. On one machine the loopback
            device has the sender's CPU do it, before the call returns.
    """

    here: Hooks
    there: Hooks = field(default_factory=Counter)
    aside: Hooks = field(default_factory=Counter)

    def passed(self, *, one_machine: bool) -> tuple[Hooks, Hooks]:
        """The paths that the test waits for, here and there, with one machine for both or two."""
        return self.here, self.there + self.aside if one_machine else self.there


ROWS: dict[str, Row] = {
    "null call": Row(NOTHING),
    "null I/O": Row(READ),
    "stat": Row(STAT),
    "open/close": Row(OPEN_CLOSE),
    "select TCP": Row(times(100, POLL)),
    "signal install": Row(NOTHING),
    "signal handle": Row(KILL),
    "fork": Row(FORK),
    "execve": Row(FORK + PROGRAM),
    "sh": Row(FORK + SHELL + FORK + PROGRAM),
    "0KB create": Row(CREATE_AND_WRITE),
    "0KB delete": Row(UNLINK),
    "10KB create": Row(CREATE_AND_WRITE),
    "10KB delete": Row(UNLINK),
    "mmap": Row(MMAP),
    "protection fault": Row(NOTHING),
    "page fault": Row(NOTHING),
    # lmbench subtracts the time of the pipe, so its checks are not in a context switch.
    "context switch": Row(NOTHING),
    "pipe": Row(times(2, READ + WRITE)),
    "AF_UNIX": Row(times(2, STREAM_SEND + STREAM_RECEIVE)),
    "UDP": Row(SEND + RECEIVE, RECEIVE + SEND),
    "RPC/UDP": Row(SEND + POLL + RECEIVE, times(2, POLL) + RECEIVE + SEND),
    "TCP": Row(SEND + RECEIVE, RECEIVE + SEND),
    "RPC/TCP": Row(SEND + POLL + RECEIVE, times(3, POLL) + RECEIVE + SEND),
    # The server's host takes ACK and FIN while the client goes on.
    "TCP connect": Row(CONNECT, ACCEPT, aside=times(2, PACKET_IN)),
    # Bandwidths, for one megabyte, written 64 KB at a time: a pipe holds a page, a UNIX socket's
    # message is 32 KB, a loopback packet 16 KB, and every second one is acknowledged.
    "pipe bandwidth": Row(times(16, WRITE) + times(256, READ)),
    "AF_UNIX bandwidth": Row(times(16, STREAM_SEND) + times(32, STREAM_RECEIVE)),
    "TCP bandwidth": Row(
        times(16, STREAM_SEND + STREAM_RECEIVE) + times(64 + 32, PACKET_OUT + PACKET_IN)
    ),
    "file reread": Row(times(16, READ)),
    "memory": Row(NOTHING),
}


def checks(one: Hooks) -> int:
    """How many questions to the access vector cache a path asks."""
    return sum(n for hook, n in one.items() if hook not in NO_CHECK)

"""System-call paths of Linux 2.4 with SELinux: which access checks each row of lmbench passes.

A path is a count of hooks by name. What a row costs under SELinux is its time without, and

    checks x check  +  labels x label  +  packets x packet

where a check is one question to the access vector cache, a label is one computation of a new
object's label by the security server (nothing remembers it in 2001), and a packet is the label of
one packet on its way in or out: a structure allocated for it, and a search of the policy's table of
hosts. Label and packet are given in checks, so that they mean the same on another CPU.

Where the counts come from. The hooks are those of the NSA's module for 2.4 (security/selinux/
hooks.c, 2001 to 2003): ``inode_permission`` asks once for every directory of a path and once for an
opened file; ``file_permission`` once for each read or write; ``may_create`` three times, with one
label computed there and one in ``post_create``; ``may_link`` twice; ``socket_sendmsg`` and
``socket_recvmsg`` once, ``ip_postroute_last`` and ``ip_preroute_last`` twice each (interface and
host), ``sock_rcv_skb`` once, and once more for a connection's two ends. What each test calls is
lmbench 2's: path names /usr/include/sys/types.h (stat, open) and /tmp/hello (execve), names without
a directory in the file test, one byte back and forth in the others.

Beside the module: smalley-2001's text names a check between a connection's two ends at each send
and receive, also of UNIX sockets. Two counts are assumed, since the kernel of April 2001 was no
module yet and had a class for descriptors: one check for the descriptor that an open makes (without
it open/close falls short by that one check), and one for each descriptor of a select.

What is estimated. Program start: the files that a loader opens (the shell's, three times as many);
two or three checks more or less change nothing at that length.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

LABEL = "label computed"
PACKET = "packet labelled"
NO_CHECK = (LABEL, PACKET)

Hooks = Counter[str]


def path(**hooks: int) -> Hooks:
    """A path by its hooks: ``path(dir_search=4, getattr=1)``.

    Names are free, but for the two works ``label`` and ``packet``, which are no checks.
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


STAT = lookup(4) + path(file_getattr=1)
OPEN_CLOSE = open_file(4)
IN_DIRECTORY = lookup(1) + path(dir_write=1)
CREATE = IN_DIRECTORY + path(dir_add_name=1, file_create=1, fs_associate=1, fd_create=1, label=2)
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
    + times(3, PACKET_OUT)
    + times(2, PACKET_IN)
)
ACCEPT = path(connection=1) + PACKET_OUT + PACKET_IN


@dataclass(frozen=True)
class Row:
    """A row of lmbench.

    Arguments:
        here: the path passed on the machine that is measured.
        there: on the other host of a network test, where it is a machine of its own; with one
            machine both are passed on it. Nothing else goes on meanwhile, so times add up.
    """

    here: Hooks
    there: Hooks = field(default_factory=Counter)


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
    "0KB create": Row(CREATE),
    "0KB delete": Row(UNLINK),
    "10KB create": Row(CREATE + times(2, WRITE)),
    "10KB delete": Row(UNLINK),
    "mmap": Row(MMAP),
    "protection fault": Row(NOTHING),
    "page fault": Row(NOTHING),
    # lmbench subtracts the time of the pipe, so its checks are not in a context switch.
    "context switch": Row(NOTHING),
    "pipe": Row(times(2, READ + WRITE)),
    "AF_UNIX": Row(times(2, STREAM_SEND + STREAM_RECEIVE)),
    "UDP": Row(SEND + RECEIVE, RECEIVE + SEND),
    "RPC/UDP": Row(SEND + POLL + RECEIVE, POLL + RECEIVE + SEND),
    "TCP": Row(SEND + RECEIVE, RECEIVE + SEND),
    "RPC/TCP": Row(SEND + POLL + RECEIVE, times(2, POLL) + RECEIVE + SEND),
    "TCP connect": Row(CONNECT, ACCEPT),
    # Bandwidths, for one megabyte: a pipe holds a page, a socket write is 64 KB.
    "pipe bandwidth": Row(times(16, WRITE) + times(256, READ)),
    "AF_UNIX bandwidth": Row(times(16, STREAM_SEND) + times(256, STREAM_RECEIVE)),
    "TCP bandwidth": Row(
        times(16, STREAM_SEND + STREAM_RECEIVE) + times(64, PACKET_OUT + PACKET_IN)
    ),
    "file reread": Row(times(16, READ)),
    "memory": Row(NOTHING),
}


def checks(one: Hooks) -> int:
    """How many questions to the access vector cache a path asks."""
    return sum(n for hook, n in one.items() if hook not in NO_CHECK)

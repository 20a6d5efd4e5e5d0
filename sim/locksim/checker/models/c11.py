"""The memory model of C11, as a machine of messages and views.

A store does not replace the last one: it is a *message*, and the messages of a word stand in a
line, the modification order. What a thread knows is its *view*: for each word, how far along the
line it is. A thread reads any message that is not behind its view, and puts a store anywhere after
its view. A release store carries the thread's view in its message; an acquire load that reads the
message takes that view over. An atomic read-modify-write stands directly behind the message that it
reads, and carries that one's view on. This is the promise-free part of Kang, Hur, Lahav, Vafeiadis
and Dreyer's machine (POPL 2017). SEQ_CST accesses and fences share one more view, as in Podkopaev,
Sergey and Nanevski's (2016). ``docs/explain/checker.md`` says what that allows and what not.

*How it is kept finite and small.* The last message of a word is where the other models keep the
word. Only messages that have been overtaken, but that a thread could still read or put a store
behind, are kept besides: the pool, in the order of word and line. They are few, so a view is one
number: bit i says that message i of the pool is behind. Joining views is ``|``; a message that is
behind in every thread's view is dropped, and all views close up. Equal messages in a row, of which
each is a read-modify-write of the one before, count as one, since no thread could tell them apart.

*Plain data.* A word that the client declares plain stands for a C object that is not atomic. Its
accesses order nothing, and a race on it is an error: a load must know the last store, a store must
know that and all loads since. The pool holds a mark for each: to know one is a bit of the view,
and only release and acquire hand it on.

Not modelled: loads that take effect after later stores of their thread (load buffering), as in
RC11; dependencies, which order nothing in C11 either.
"""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.checker.models import reduction, sc
from locksim.checker.models.outcome import DISABLED, DONE, RACE
from locksim.checker.models.registers import N_BEHIND, N_FORGOT, N_NEW, N_OLD
from locksim.compiler import bytecode as b
from locksim.lang.ops import Order

# The lowest two bits of a key; the word's address is above them.
_MESSAGE, _TAKEN, _READ = 0, 1, 2
"""A message; one that a read-modify-write stands directly behind; the mark of a plain load."""

_EXITED = -1
"""The view of a thread that has returned: everything is behind it."""

_ACQUIRE, _RELEASE, _ACQ_REL, _SEQ_CST = (
    int(o) for o in (Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)
)


def access(
    t: m.Tables,
    row: list[int],
    shared: list[int],
    regs: list[int],
    code: list[int],
    address: int,
    action: int,
    note: list[int],
) -> int:
    """A load, store or atomic read-modify-write of a live word; ``action`` says of which message.

    0 is the last message that the operation may read, or stand behind; 1 the one before, and so on.
    """
    if reduction.without_messages(t, row[m.THREAD], address):
        if action:
            return DISABLED
        if code[0] != b.COMPARE_SWAP or shared[address] == regs[code[4]]:
            _send(t, row[m.THREAD], shared, code, 0)
        return sc.access(t, shared, regs, code, address, note)
    first, last = _line(t, shared, address)
    if t.plain[address] and t.size[m.WATCH] & m.WATCH_RACES:
        return _plain(t, row[m.THREAD], shared, regs, code, address, action, first, last, note)
    op, order = code[0], code[b.WIDTH - 1]
    stores = op == b.STORE or (op == b.SWAP and code[b.WIDTH - 2])
    mine = t.size[m.CUR] + row[m.THREAD]
    known = shared[mine]
    if order == _SEQ_CST:
        known |= shared[t.size[m.SC_VIEW]]
    at = last
    while True:
        if at < last and (at < first or known >> at & 1):
            return DISABLED
        old, view = _message(t, shared, address, at, last)
        taken = at < last and shared[t.size[m.KEYS] + at] & 3 == _TAKEN
        misses = op == b.LOAD or (op == b.COMPARE_SWAP and old != regs[code[4]])
        if misses or not taken:
            if action == 0:
                break
            action -= 1
        at -= 1
    new = sc.written(code, regs, old)
    note[N_OLD], note[N_NEW], note[N_BEHIND] = old, new, last - at
    shared[mine] |= _bits(first, at)
    carried = 0
    if not stores:
        regs[code[1]] = old
        carried = view
        if order == _ACQUIRE or order >= _ACQ_REL:
            shared[mine] |= view
        elif t.size[m.ACQUIRE_FENCES]:
            shared[t.size[m.ACQ] + row[m.THREAD]] |= view
    if not misses:
        carried |= shared[mine] if order >= _RELEASE else shared[t.size[m.REL] + row[m.THREAD]]
        carried &= ~_bits(first, last)
        _write(t, shared, address, at, last, not stores, new, carried)
        seen = _bits(first, at + 1)
        shared[mine] |= seen
        if order == _SEQ_CST:
            shared[t.size[m.SC_VIEW]] |= seen
        _send(t, row[m.THREAD], shared, code, seen)
        _make_room(t, shared, address, note)
    _tidy(t, shared)
    return DONE


def fence(t: m.Tables, thread: int, shared: list[int], order: int) -> None:
    """A fence of any order."""
    mine, pending = t.size[m.CUR] + thread, t.size[m.ACQ] + thread
    if order != _RELEASE:
        shared[mine] |= shared[pending]
    if order == _SEQ_CST:
        shared[mine] |= shared[t.size[m.SC_VIEW]]
        shared[t.size[m.SC_VIEW]] |= shared[mine] & ~_marks(t, shared)
        if t.size[m.WAKES]:
            shared[t.size[m.SENT] + thread] = shared[mine]
    if order >= _RELEASE:
        shared[t.size[m.REL] + thread] = shared[mine]
    _tidy(t, shared)


def wake(t: m.Tables, thread: int, shared: list[int], other: int) -> None:
    """What the waker has sent for all to see, the sleeper will know when it goes on.

    Not all that the waker knows: its last store may still be in a store buffer when the wake-up
    arrives.
    """
    if shared[t.size[m.CUR] + other] != _EXITED:
        shared[t.size[m.WOKEN] + other] |= shared[t.size[m.SENT] + thread]


def woken(t: m.Tables, thread: int, shared: list[int]) -> None:
    """A sleeper goes on."""
    shared[t.size[m.CUR] + thread] |= shared[t.size[m.WOKEN] + thread]
    shared[t.size[m.WOKEN] + thread] = 0
    _tidy(t, shared)


def leave(t: m.Tables, thread: int, shared: list[int]) -> None:
    """A thread has returned: it will read nothing more."""
    shared[t.size[m.CUR] + thread] = _EXITED
    for part in (m.ACQ, m.REL, m.SENT, m.WOKEN):
        shared[t.size[part] + thread] = 0
    _tidy(t, shared)


def free(t: m.Tables, thread: int, shared: list[int], start: int, end: int) -> int:
    """The words of an object that is freed have no messages any more.

    The free is a race if its thread does not know each word's last store.
    """
    gone = 0
    for i in range(shared[t.size[m.OLD]]):
        if start <= shared[t.size[m.KEYS] + i] >> 2 < end:
            gone |= 1 << i
    unknown = gone & ~shared[t.size[m.CUR] + thread]
    if unknown and t.size[m.WATCH] & m.WATCH_RACES:
        return RACE
    for i in range(t.size[m.VIEWS] + start, t.size[m.VIEWS] + end):
        shared[i] = 0
    _drop(t, shared, gone)
    return DONE


def _plain(
    t: m.Tables,
    thread: int,
    shared: list[int],
    regs: list[int],
    code: list[int],
    address: int,
    action: int,
    first: int,
    last: int,
    note: list[int],
) -> int:
    """An access of a word that is not atomic."""
    if action:
        return DISABLED
    mine = t.size[m.CUR] + thread
    old = shared[address]
    note[N_OLD], note[N_NEW], note[N_BEHIND] = old, sc.written(code, regs, old), 0
    loads = code[0] == b.LOAD
    own = -1
    for i in range(first, _end(t, shared, address, last)):
        mark = shared[t.size[m.KEYS] + i] & 3 == _READ
        if not (loads and mark) and not shared[mine] >> i & 1:
            return RACE
        if mark and shared[t.size[m.VALUES] + i] == thread:
            own = i
    if code[0] != b.STORE:
        regs[code[1]] = old
    if loads and own >= 0:
        _forget_bit(t, shared, own)
    elif loads:
        own = _end(t, shared, address, last)
        _insert(t, shared, own, -1, (address << 2) | _READ, thread, 0)
    else:
        shared[address] = note[N_NEW]
        _drop(t, shared, _bits(first, _end(t, shared, address, last)))
        _insert(t, shared, first, -1, address << 2, thread, 0)
        own = first
    shared[mine] |= 1 << own
    _make_room(t, shared, address, note)
    _tidy(t, shared)
    return DONE


def _send(t: m.Tables, thread: int, shared: list[int], code: list[int], seen: int) -> None:
    """What an atomic read-modify-write releases is for all to see: it has left the store buffer.

    A SEQ_CST store is a SWAP here.
    """
    if t.size[m.WAKES] and code[0] != b.LOAD and code[0] != b.STORE:
        released = m.CUR if code[b.WIDTH - 1] >= _RELEASE else m.REL
        shared[t.size[m.SENT] + thread] |= shared[t.size[released] + thread] | seen


# The pool and the views


def _bits(first: int, end: int) -> int:
    """A view that has the messages first … end - 1 behind it."""
    return (1 << end) - (1 << first)


def _line(t: m.Tables, shared: list[int], address: int) -> tuple[int, int]:
    """Where the overtaken messages of a word are in the pool: the first, and behind the last."""
    first, n = 0, shared[t.size[m.OLD]]
    while first < n and shared[t.size[m.KEYS] + first] >> 2 < address:
        first += 1
    last = first
    while last < n and (shared[t.size[m.KEYS] + last] | 1) == (address << 2) | 1:
        last += 1
    return first, last


def _marks(t: m.Tables, shared: list[int]) -> int:
    """The entries of plain words: to know them takes a happens-before, which no fence alone is."""
    found = 0
    if t.size[m.WATCH] & m.WATCH_RACES:
        for i in range(shared[t.size[m.OLD]]):
            if t.plain[shared[t.size[m.KEYS] + i] >> 2]:
                found |= 1 << i
    return found


def _end(t: m.Tables, shared: list[int], address: int, last: int) -> int:
    """Behind the marks of a word's plain loads, which follow its messages."""
    while last < shared[t.size[m.OLD]] and shared[t.size[m.KEYS] + last] >> 2 == address:
        last += 1
    return last


def _message(t: m.Tables, shared: list[int], address: int, at: int, last: int) -> tuple[int, int]:
    """Value and view of a message; the one at ``last`` is the word's last."""
    if at == last:
        return shared[address], shared[t.size[m.VIEWS] + address]
    return shared[t.size[m.VALUES] + at], shared[t.size[m.POOL_VIEWS] + at]


def _write(
    t: m.Tables,
    shared: list[int],
    address: int,
    at: int,
    last: int,
    adjacent: bool,
    value: int,
    view: int,
) -> None:
    """Put a message directly behind the one at ``at``."""
    if at == last:
        old, old_view = _message(t, shared, address, last, last)
        _insert(t, shared, at, -1, (address << 2) | int(adjacent), old, old_view)
        shared[address] = value
        shared[t.size[m.VIEWS] + address] = _widened(view, at, 0)
        return
    shared[t.size[m.KEYS] + at] |= int(adjacent)
    _insert(t, shared, at + 1, at, address << 2, value, view)


def _widened(view: int, at: int, bit: int) -> int:
    """A view with a bit put in."""
    if view == _EXITED:
        return view
    low = view & ((1 << at) - 1)
    return low | ((view ^ low) << 1) | (bit << at)


def _insert(
    t: m.Tables, shared: list[int], at: int, like: int, key: int, value: int, view: int
) -> None:
    """Put an entry into the pool; who has the entry ``like`` behind has this one (-1: none)."""
    n = shared[t.size[m.OLD]]
    for part in (m.KEYS, m.VALUES, m.POOL_VIEWS):
        start = t.size[part]
        for i in range(n, at, -1):
            shared[start + i] = shared[start + i - 1]
    shared[t.size[m.KEYS] + at] = key
    shared[t.size[m.VALUES] + at] = value
    shared[t.size[m.POOL_VIEWS] + at] = view
    shared[t.size[m.OLD]] = n + 1
    for i in range(t.size[m.VIEWS], t.size[m.OLD]):
        if shared[i]:
            bit = shared[i] >> like & 1 if like >= 0 else 0
            shared[i] = _widened(shared[i], at, bit)


def _drop(t: m.Tables, shared: list[int], gone: int) -> None:
    """Take entries out of the pool and out of all views."""
    if gone == 0:
        return
    n, kept = shared[t.size[m.OLD]], 0
    for i in range(n):
        if not gone >> i & 1:
            for part in (m.KEYS, m.VALUES, m.POOL_VIEWS):
                shared[t.size[part] + kept] = shared[t.size[part] + i]
            kept += 1
    for i in range(kept, n):
        for part in (m.KEYS, m.VALUES, m.POOL_VIEWS):
            shared[t.size[part] + i] = 0
    shared[t.size[m.OLD]] = kept
    for i in range(t.size[m.VIEWS], t.size[m.OLD]):
        view = shared[i]
        if view == 0 or view == _EXITED:
            continue
        for k in range(n - 1, -1, -1):
            if gone >> k & 1:
                low = view & ((1 << k) - 1)
                view = low | ((view >> (k + 1)) << k)
        shared[i] = view


def _forget_bit(t: m.Tables, shared: list[int], at: int) -> None:
    """An entry is new again: no view has it behind."""
    for i in range(t.size[m.VIEWS], t.size[m.OLD]):
        if shared[i] != _EXITED:
            shared[i] &= ~(1 << at)


def _make_room(t: m.Tables, shared: list[int], address: int, note: list[int]) -> None:
    """Drop the oldest message of a word that has too many, or some if the pool is full."""
    first, last = _line(t, shared, address)
    if last - first > t.size[m.HISTORY]:
        note[N_FORGOT] = 1
        _drop(t, shared, 1 << first)
    elif shared[t.size[m.OLD]] > m.POOL:
        note[N_FORGOT] = 1
        _drop(t, shared, 1 << (first if last > first else 0))


def _tidy(t: m.Tables, shared: list[int]) -> None:
    """Drop what no thread can read any more, and join what none can tell apart."""
    n = shared[t.size[m.OLD]]
    if n == 0:
        return
    gone = _bits(0, n)
    for i in range(t.size[m.N_THREADS]):
        gone &= shared[t.size[m.CUR] + i]
    behind = gone
    for i in range(n):
        key = shared[t.size[m.KEYS] + i]
        if key & 3 == _TAKEN:
            address = key >> 2
            last = i + 1 == n or shared[t.size[m.KEYS] + i + 1] >> 2 != address
            old, old_view = _message(t, shared, address, i, -2)
            new, view = _message(t, shared, address, i + 1, i + 1 if last else -2)
            if old == new and (old_view ^ view) & ~behind == 0:
                gone |= 1 << i
    _drop(t, shared, gone)
    for i in range(t.size[m.N_THREADS]):
        if shared[t.size[m.CUR] + i] != _EXITED:
            shared[t.size[m.ACQ] + i] &= ~shared[t.size[m.CUR] + i]

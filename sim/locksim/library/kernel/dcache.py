"""Directory entries and the path that leads to one: ``d_path`` with an unlocked walk.

Mechanism. An entry knows its parent and its name. ``d_path`` takes a reference to the process's
root directory, goes from the file's entry up to the root, name by name, and drops the reference. A
rename changes entries as a writer of ``rename_lock``, one lock for the whole tree. The kinds below
differ in how they keep a walk from meeting a rename. A walk is an attempt: it is entered, done and
left, and it is repeated if ``walk_leave`` asks for that.

- ``dcache_seqwriter``: Linux 3.8. The walk is a writer, and takes each entry's lock besides.
- ``dcache_seqrwlock``: the patches of long-2013. The walk is a blocking reader.
- ``dcache_seqretry``: Linux from 3.12. The walk is optimistic, and locks if a rename came by.

Invariants. Parents and names change only under ``rename_lock`` held for writing. A returned path is
one that the file had at one moment, never a mixture of two. The root's parent is the root.

Lines. Parent and name share one line, lock and count the next, as in Linux 3.8's ``struct dentry``,
where they lie before and behind the short name. So a walk without the entries' locks reads lines
that no CPU writes, even while other CPUs count references.

Cost in line transfers of a call, uncontended: that of entering and leaving, and one for each count
or lock that another CPU used last: the root's twice, if another CPU came in between.

Not modelled. Mount points (``vfsmount_lock`` is a per-CPU lock for its readers), the lock of
``fs_struct`` (a process's own), the buffer, deleted files. A name is a number, 0 to 7, and a path
the digits of one.

Source: Linux 3.8 and 3.12, fs/dcache.c: d_path, prepend_path, dget, dput, d_move.
"""

from locksim.lang import *
from locksim.library.locks.lockref import Lockref

__all__ = ["Dcache", "Dentry"]

BASE = 8
"""A name is a digit to this base."""


class Dentry(Struct):
    """A directory entry with lock and count in one word (Linux 3.12, struct dentry)."""

    parent = pointer("Dentry")
    name = word()
    count = part(Lockref, padded=True)


class Dcache(Struct):
    """The entries of one path, and ``d_path``; a kind defines what ``rename_lock`` is.

    A kind has the field ``rename_lock`` and the programs ``walk_enter(attempt)``, which gives a
    token, ``walk_leave(attempt, token)``, which gives nonzero if the walk must be repeated, and
    ``move_acquire()`` and ``move_release()``.

    Arguments:
        components: entries from the root to the file, both counted.
        prepend_ps: work on one name, in picoseconds.
        count_root: 1 takes a reference to the root round the walk; 0 relies on RCU, as
            ``d_path`` does from Linux 3.12 on.
    """

    components = param(5)
    prepend_ps = param(65 * NS)
    count_root = param(1)
    file = pointer(Dentry, padded=True)
    dentries = array("components", Dentry, padded=True)

    def setup(self):
        assert self.components >= 2
        above = self.dentries[0]
        for i in range(self.components):
            dentry = self.dentries[i]
            yield dentry.parent.store(above, RELAXED)
            yield dentry.name.store(0, RELAXED)
            yield self.file.store(dentry, RELAXED)
            above = dentry

    def d_path(self):
        """The file's path: its names as digits, the file's the lowest."""
        root = self.dentries[0]
        if self.count_root:
            yield from root.count.get()
        attempt = 0
        while True:
            token = yield from self.walk_enter(attempt)
            path = yield from self.prepend_path()
            if not (yield from self.walk_leave(attempt, token)):
                break
            attempt += 1
        if self.count_root:
            left = yield from root.count.put()
            assert left > 0
        return path

    def d_move(self, name):
        """A rename that gives every entry below the root the same new name."""
        yield from self.move_acquire()
        for i in range(1, self.components):
            yield self.dentries[i].name.store(name, RELAXED)
        yield from self.move_release()

    def prepend_path(self):
        path = 0
        digit = 1
        dentry = yield self.file.load(RELAXED)
        above = yield dentry.parent.load(RELAXED)
        while above != dentry:
            path += digit * (yield from self.prepend_name(dentry))
            digit *= BASE
            dentry = above
            above = yield dentry.parent.load(RELAXED)
        return path

    def prepend_name(self, dentry: Dentry):
        name = yield dentry.name.load(RELAXED)
        yield compute(self.prepend_ps)
        return name

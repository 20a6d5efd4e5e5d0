"""Caches of the security server's answers, one file each, written in the lock language.

Every cache of access decisions has the same programs, so that a workload can take any as its part:
``has_perm(ssid, tsid, tclass, requested)`` gives the denied bits (0: granted),
``update(ssid, tsid, tclass, granted)`` gives 1 if it changed an entry, and ``syscall_exit()``
informs the cache that its CPU holds no reference into it. ``cipso`` remembers labels of packets
instead.
"""

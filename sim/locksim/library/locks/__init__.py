"""Locks and RCU, one file each, written in the lock language.

A module's name is the lock's name everywhere; the first entry of its ``__all__`` is the lock's
class.
"""

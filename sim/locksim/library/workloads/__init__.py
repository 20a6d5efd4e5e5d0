"""Workloads: what the CPUs run, one file each, written in the lock language.

A workload's lock or cache is a part, so that the maker chooses it:
``CriticalSection(lock=MCSLock)``.
"""

"""Schedulers, one file each, written in the lock language: which task runs on which CPU."""

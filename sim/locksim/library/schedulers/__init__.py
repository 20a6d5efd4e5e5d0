"""Schedulers, one file each, written in the lock language: who runs on which CPU."""

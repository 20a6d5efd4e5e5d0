"""locksim: the lock language, the machines and the engines of LockLab."""

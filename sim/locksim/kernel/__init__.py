"""Parts of a kernel that locks are used in, one file each, written in the lock language."""

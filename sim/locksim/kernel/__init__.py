"""Paths through a kernel, one file each: what a system call or a packet passes on its way."""

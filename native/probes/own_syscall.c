/* SPDX-License-Identifier: MIT */
/* Into the kernel and back: a system call that does nothing. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#define PROBE own_syscall
#define TURN(line, value) (value += (uint64_t)syscall(SYS_getppid))

#include "probes/own.h"

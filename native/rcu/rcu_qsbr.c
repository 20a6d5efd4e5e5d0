/* SPDX-License-Identifier: MIT */
/* liburcu's flavour qsbr: the reader says when it holds nothing. */
#define _GNU_SOURCE
#define _LGPL_SOURCE
#define URCU_API_MAP
#include <urcu/urcu-qsbr.h>

#include "harness/pause.h"

#define KERNEL rcu_qsbr

#include LOCKLAB_LOOP

/* SPDX-License-Identifier: MIT */
/* liburcu's flavour mb: sections are counted, the reader issues the barriers. */
#define _GNU_SOURCE
#define _LGPL_SOURCE
#define URCU_API_MAP
#include <urcu/urcu-mb.h>

#include "harness/pause.h"

#define KERNEL rcu_mb

#include LOCKLAB_LOOP

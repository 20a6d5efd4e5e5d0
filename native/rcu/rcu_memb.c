/* SPDX-License-Identifier: MIT */
/* liburcu's flavour memb: sections are counted, the updater sends the barriers. */
#define _GNU_SOURCE
#define _LGPL_SOURCE
#define URCU_API_MAP
#include <urcu/urcu-memb.h>

#include "harness/pause.h"

#define KERNEL rcu_memb

#include LOCKLAB_LOOP

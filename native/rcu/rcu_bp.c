/* SPDX-License-Identifier: MIT */
/* liburcu's flavour bp: as memb, and who does not register is registered at the first section. */
#define _GNU_SOURCE
#define _LGPL_SOURCE
#define URCU_API_MAP
#include <urcu/urcu-bp.h>

#include "harness/pause.h"

#define KERNEL rcu_bp

#include LOCKLAB_LOOP

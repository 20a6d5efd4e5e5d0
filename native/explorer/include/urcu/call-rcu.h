/* SPDX-License-Identifier: MIT */
/* call_rcu comes with the flavours. */
#include <urcu/explored.h>

/* SPDX-License-Identifier: MIT */
/* liburcu's older name: call_rcu comes with the flavours. */
#include <urcu/explored.h>

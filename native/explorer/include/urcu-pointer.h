/* SPDX-License-Identifier: MIT */
/* liburcu's older name. */
#include <urcu/pointer.h>

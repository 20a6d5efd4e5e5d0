/* SPDX-License-Identifier: MIT */
/* liburcu's default flavour, for the explorer. */
#include <urcu/urcu-memb.h>

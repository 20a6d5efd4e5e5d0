/* SPDX-License-Identifier: MIT */
/* liburcu's older name of a flavour. */
#include <urcu/urcu-qsbr.h>

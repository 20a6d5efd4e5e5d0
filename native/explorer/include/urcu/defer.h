/* SPDX-License-Identifier: MIT */
/* liburcu's newer name of this. */
#include <urcu-defer.h>

/* SPDX-License-Identifier: MIT */
/* liburcu's hash table is not explored. */
#error "the explorer has no model of cds_lfht: it is compiled code, whose accesses cannot be seen, and resizes itself in threads of its own; write the buckets that the test needs as lists (urcu/rculist.h), with a mutex each"

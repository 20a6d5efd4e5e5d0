/* SPDX-License-Identifier: MIT */
/*
 * LOCKLAB_DWELL() stands where it would hurt a structure to be disturbed, between finding an entry
 * and reading it, say. It is nothing, unless a program that looks for errors has defined it.
 */
#ifndef LOCKLAB_DWELL_H
#define LOCKLAB_DWELL_H

#ifndef LOCKLAB_DWELL
#define LOCKLAB_DWELL() ((void)0)
#endif

#endif

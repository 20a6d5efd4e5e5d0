/* SPDX-License-Identifier: MIT */
/* Names of a kernel's loops. */
#ifndef LOCKLAB_STRUCTURES_NAMES_H
#define LOCKLAB_STRUCTURES_NAMES_H

#define LOCKLAB_PASTE(a, b) a##b
#define LOCKLAB_NAME(prefix, kernel) LOCKLAB_PASTE(prefix, kernel)

#endif

/* SPDX-License-Identifier: MIT */
/* What the clients on real threads do with a spinlock. */
#include "records.h"

#include "calls.h"
#include "guarded.h"

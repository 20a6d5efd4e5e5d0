/* SPDX-License-Identifier: MIT */
/*
 * Shared by all clients of an access vector cache: decisions that show their origin.
 *
 * A decision's four words depend on the key and a version, so a mixture of two versions is
 * detected. history.py has the same formulas.
 */
#ifndef LOCKLAB_AVC_CLIENT_H
#define LOCKLAB_AVC_CLIENT_H

#include "avc.h"
#include "drawn.h"

static inline struct avc_decision decision_of(unsigned key, unsigned version)
{
    return (struct avc_decision){word_of(key, version, 0), word_of(key, version, 1),
                                 word_of(key, version, 2), version};
}

#endif

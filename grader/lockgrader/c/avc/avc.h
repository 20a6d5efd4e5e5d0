/* SPDX-License-Identifier: MIT */
/*
 * An access vector cache that readers use under RCU: what a submission defines.
 *
 * It remembers decisions: what may a subject of type `ssid` do to an object of type `tsid` and
 * class `tclass`? Lookups are frequent and should write nothing that others read. Insertions are
 * rare.
 *
 * All functions but avc_init() and avc_destroy() may be called by any number of threads at once.
 * A thread is registered with liburcu (flavour memb) before its first call, and is in no read-side
 * section of its own when it calls.
 */
#ifndef AVC_H
#define AVC_H

#include <stdbool.h>
#include <stdint.h>

struct avc_key {
    uint32_t ssid;
    uint32_t tsid;
    uint32_t tclass;
};

/* The four words belong together: a reader gets all words of one decision, or none. */
struct avc_decision {
    uint32_t allowed;
    uint32_t decided;
    uint32_t auditallow;
    uint32_t seqno;
};

/* Before any other call, by one thread. */
void avc_init(void);

/* After all other calls, by one thread: frees all memory that malloc gave. */
void avc_destroy(void);

/* Copies the newest decision and marks its entry as used; returns false if there is none. A hit on
 * an entry that is already marked writes no word that others read. */
bool avc_lookup(const struct avc_key *key, struct avc_decision *decision);

/* Remembers a decision in place of the key's older one. A reader sees the old one or the new one.
 * A new entry is marked as used. Returns false if there is no memory. */
bool avc_insert(const struct avc_key *key, const struct avc_decision *decision);

/* Second chance: an entry with the mark loses the mark, an entry without it is removed. Returns the
 * number of removed entries. */
unsigned avc_reclaim(void);

#endif

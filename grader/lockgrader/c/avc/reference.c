/* SPDX-License-Identifier: MIT */
/*
 * A cache behind one mutex: correct and slow. A tool that misses a client's deliberate mistake is
 * tried with this cache too, to decide whether the submission or the tool is at fault.
 */
#include <pthread.h>
#include <stdlib.h>

#include "avc.h"

struct entry {
    struct avc_key key;
    struct avc_decision decision;
    bool used;
    struct entry *next;
};

static struct entry *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void avc_init(void) {}

static struct entry *find(const struct avc_key *key)
{
    struct entry *at = first;

    while (at != NULL && !(at->key.ssid == key->ssid && at->key.tsid == key->tsid &&
                           at->key.tclass == key->tclass))
        at = at->next;
    return at;
}

bool avc_lookup(const struct avc_key *key, struct avc_decision *decision)
{
    struct entry *found;

    pthread_mutex_lock(&lock);
    found = find(key);
    if (found != NULL) {
        found->used = true;
        *decision = found->decision;
    }
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

bool avc_insert(const struct avc_key *key, const struct avc_decision *decision)
{
    struct entry *at;

    pthread_mutex_lock(&lock);
    at = find(key);
    if (at == NULL && (at = malloc(sizeof(*at))) != NULL) {
        at->key = *key;
        at->next = first;
        first = at;
    }
    if (at != NULL) {
        at->decision = *decision;
        at->used = true;
    }
    pthread_mutex_unlock(&lock);
    return at != NULL;
}

unsigned avc_reclaim(void)
{
    unsigned forgotten = 0;

    pthread_mutex_lock(&lock);
    for (struct entry **link = &first; *link != NULL;) {
        struct entry *at = *link;

        if (at->used) {
            at->used = false;
            link = &at->next;
        } else {
            *link = at->next;
            free(at);
            forgotten++;
        }
    }
    pthread_mutex_unlock(&lock);
    return forgotten;
}

void avc_destroy(void)
{
    while (avc_reclaim() > 0 || first != NULL)
        continue;
}

/* SPDX-License-Identifier: MIT */
/* An access vector cache for one thread, for ctypes: test_avc.py lets AVC name the design. */
#include <stdlib.h>

#include AVC

struct shim {
    struct locklab_avc avc;
    struct locklab_avc_client client;
    struct locklab_avc_server server;
    struct locklab_avc_decision answer; /* what the server says when it is asked */
    unsigned asked;
};

static void compute(const struct locklab_avc_server *server, const struct locklab_avc_key *key,
                    struct locklab_avc_decision *decision)
{
    struct shim *shim = (struct shim *)((char *)(uintptr_t)server - offsetof(struct shim, server));

    (void)key;
    shim->asked++;
    *decision = shim->answer;
}

struct shim *shim_new(int store_used)
{
    struct shim *shim = aligned_alloc(_Alignof(struct shim), sizeof(struct shim));

    locklab_avc_init(&shim->avc);
    shim->server.compute = compute;
    shim->client = (struct locklab_avc_client){.server = &shim->server, .store_used = store_used};
    return locklab_avc_enter_thread() ? shim : NULL;
}

void shim_free(struct shim *shim)
{
    locklab_avc_leave_thread();
    locklab_avc_destroy(&shim->avc);
    free(shim);
}

/* The decision's five words; returns whether the server was asked. */
int shim_has_perm(struct shim *shim, const uint32_t key[3], uint32_t requested,
                  const uint32_t answer[5], uint32_t decision[5], uint32_t *denied)
{
    struct locklab_avc_key of = {key[0], key[1], key[2]};
    struct locklab_avc_decision found;
    unsigned asked = shim->asked;

    shim->answer =
        (struct locklab_avc_decision){answer[0], answer[1], answer[2], answer[3], answer[4]};
    *denied = locklab_avc_has_perm(&shim->avc, &shim->client, &of, requested, &found);
    decision[0] = found.allowed;
    decision[1] = found.decided;
    decision[2] = found.auditallow;
    decision[3] = found.auditdeny;
    decision[4] = found.seqno;
    return shim->asked != asked;
}

int shim_update(struct shim *shim, const uint32_t key[3], uint32_t granted)
{
    struct locklab_avc_key of = {key[0], key[1], key[2]};

    return locklab_avc_update(&shim->avc, &shim->client, &of, granted);
}

void shim_reset(struct shim *shim, uint32_t seqno)
{
    locklab_avc_reset(&shim->avc, &shim->client, seqno);
}

size_t shim_active(const struct shim *shim)
{
    return locklab_avc_active(&shim->avc);
}

size_t shim_count(struct shim *shim)
{
    return locklab_avc_count(shim->avc.chains);
}

unsigned shim_slot(const uint32_t key[3])
{
    struct locklab_avc_key of = {key[0], key[1], key[2]};

    return locklab_avc_slot_of(&of);
}

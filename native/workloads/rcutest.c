/* SPDX-License-Identifier: MIT */
/*
 * rcutest, the benchmark of kaigai-2004: each thread writes one byte into a file of its own on
 * tmpfs and seeks back, again and again; one check a turn.
 *
 * The files are anonymous ones of the kernel's own tmpfs (memfd); where that is forbidden, files in
 * /dev/shm without a name. Nothing is shared but the cache. The original ran processes; threads
 * share the address space and the table of open files besides, which costs each system call a
 * reference to the file. Turns that failed are counted in `torn`.
 *
 * The mix: `think` turns between two turns of the loop, `hold` for a decision of the server,
 * `option` as in structures/subject.h.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "structures/kernel.h"
#include "workloads/monitor.h"

struct seat {
    _Alignas(LOCKLAB_PAD) int file;
    struct subject subject;
};

struct state {
    struct monitor monitor;
    unsigned threads;
    struct seat seats[];
};

struct client {
    struct monitor *monitor;
    struct seat *seat;
};

static int open_file(void)
{
    char name[] = "/dev/shm/locklab-XXXXXX";
    int file = memfd_create("rcutest", MFD_CLOEXEC);

    if (file < 0) {
        file = mkstemp(name);
        if (file >= 0)
            unlink(name);
    }
    return file;
}

static void dispose(void *arg)
{
    struct state *state = arg;

    for (unsigned i = 0; i < state->threads; i++)
        close(state->seats[i].file);
    monitor_destroy(&state->monitor);
    free(state);
}

static void *prepare(unsigned threads)
{
    struct state *state =
        aligned_alloc(LOCKLAB_PAD, sizeof(struct state) + threads * sizeof(struct seat));

    if (state == NULL)
        return NULL;
    monitor_init(&state->monitor);
    for (state->threads = 0; state->threads < threads; state->threads++) {
        struct seat *seat = &state->seats[state->threads];

        seat->file = open_file();
        if (seat->file < 0)
            return given_up(state, dispose);
    }
    return state;
}

static uint64_t updates(const void *arg)
{
    (void)arg;
    return 0;
}

static inline void client_init(struct client *client, struct state *state, unsigned thread,
                               const struct locklab_order *order)
{
    *client = (struct client){&state->monitor, &state->seats[thread]};
    monitor_enter(client->monitor, &client->seat->subject, thread, &order->mix);
}

static inline void client_leave(struct client *client, struct locklab_tally *tally)
{
    (void)client, (void)tally;
    monitor_leave();
}

static inline uint64_t client_operate(struct client *client, struct locklab_tally *tally)
{
    int file = client->seat->file;

    if (!monitor_grants(client->monitor, &client->seat->subject, 1) || write(file, "x", 1) != 1 ||
        lseek(file, 0, SEEK_SET) != 0)
        tally->torn++;
    return 1;
}

#include LOCKLAB_LOOP

/* SPDX-License-Identifier: MIT */
/*
 * A small lmbench: how long a system call takes, with and without the checks that it would make.
 *
 * `option` is the operation's number in the table below plus what structures/subject.h knows;
 * `hold` and `think` as in rcutest. Operations that failed are counted in `torn`.
 *
 * The number of checks is an ASSUMPTION for each operation, from the hooks that SELinux has on its
 * way: search on each directory of the path, then what is done to the file. It is what makes
 * smalley-2001's rows differ; change it where you know better.
 *
 * Round trips have a partner, a thread that sends back what it gets and makes the same checks. It
 * is created on the CPU of its client, so a round trip has two switches of context, as lmbench's
 * has on one CPU. A forked child ends at once or executes /bin/true, and checks nothing itself.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "structures/kernel.h"
#include "workloads/monitor.h"

#define OPERATION_MASK 0xff

struct ends {
    int in, out; /* where one side reads and writes */
};

struct seat {
    _Alignas(LOCKLAB_PAD) struct subject subject, partner_subject;
    struct ends client, partner;
    pthread_t partner_thread;
    bool has_partner;
    int zero, null;
    unsigned number;
    char file[64];  /* exists */
    char spare[64]; /* does not, between two operations */
};

struct state {
    struct monitor monitor;
    char folder[48];
    unsigned threads;
    struct seat seats[];
};

struct client {
    struct state *state;
    struct seat *seat;
    const struct operation *operation;
};

struct operation {
    bool (*perform)(struct seat *seat);
    bool (*open)(struct seat *seat); /* NULL: needs no partner */
    unsigned checks;
    unsigned partner_checks;
};

static bool null_io(struct seat *seat);
static bool stat_file(struct seat *seat);
static bool open_close(struct seat *seat);
static bool create_delete(struct seat *seat);
static bool round_trip(struct seat *seat);
static bool fork_exit(struct seat *seat);
static bool fork_exec(struct seat *seat);
static bool open_pipes(struct seat *seat);
static bool open_unix(struct seat *seat);
static bool open_udp(struct seat *seat);
static bool open_tcp(struct seat *seat);

/* Paths are /tmp/FOLDER/FILE: three directories to search. */
static const struct operation operations[] = {
    {null_io, NULL, 2, 0},        /* file read, file write */
    {stat_file, NULL, 3 + 1, 0},  /* search; getattr */
    {open_close, NULL, 3 + 1, 0}, /* search; file read */
    {create_delete, NULL, 11,
     0}, /* twice search; add_name, create, associate; remove_name, unlink */
    {round_trip, open_pipes, 2, 2}, /* fifo write, fifo read on each side */
    {round_trip, open_unix, 3, 3},  /* socket write, the peer's, socket read */
    {round_trip, open_udp, 4, 4}, /* socket write, node and interface send; receive, socket read */
    {round_trip, open_tcp, 4, 4}, /* the same */
    {fork_exit, NULL, 3, 0},      /* fork, sigchld, wait */
    {fork_exec, NULL, 3 + 2 + 4, 0}, /* those; search; execute, entrypoint, transition, loader */
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static void dispose(void *arg)
{
    struct state *state = arg;

    for (unsigned i = 0; i < state->threads; i++) {
        struct seat *seat = &state->seats[i];

        close(seat->zero);
        close(seat->null);
        unlink(seat->file);
    }
    rmdir(state->folder);
    monitor_destroy(&state->monitor);
    free(state);
}

static bool seat_init(struct seat *seat, const char *folder, unsigned number)
{
    int file;

    *seat = (struct seat){.number = number};
    snprintf(seat->file, sizeof(seat->file), "%s/file-%u", folder, number);
    snprintf(seat->spare, sizeof(seat->spare), "%s/spare-%u", folder, number);
    seat->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    seat->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    file = open(seat->file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
    return seat->zero >= 0 && seat->null >= 0 && file >= 0;
}

static void *prepare(unsigned threads)
{
    struct state *state =
        aligned_alloc(LOCKLAB_PAD, sizeof(struct state) + threads * sizeof(struct seat));
    bool right;

    if (state == NULL)
        return NULL;
    state->threads = 0;
    monitor_init(&state->monitor);
    snprintf(state->folder, sizeof(state->folder), "/tmp/locklab-lmbench-%ld-XXXXXX",
             (long)getpid());
    right = mkdtemp(state->folder) != NULL;
    while (right && state->threads < threads) {
        right = seat_init(&state->seats[state->threads], state->folder, state->threads);
        state->threads++;
    }
    if (right)
        return state;
    return given_up(state, dispose);
}

static uint64_t updates(const void *arg)
{
    (void)arg;
    return 0;
}

struct partner {
    struct client client;
    struct locklab_mix mix;
};

/* Sends back what it gets until there is no more to get. */
static void *partner_main(void *arg)
{
    struct partner partner = *(struct partner *)arg;
    struct client *client = &partner.client;
    struct seat *seat = client->seat;
    char byte;

    free(arg);
    monitor_enter(&client->state->monitor, &seat->partner_subject, seat->number, &partner.mix);
    while (read(seat->partner.in, &byte, 1) == 1 && byte != 'q') {
        monitor_grants(&client->state->monitor, &seat->partner_subject,
                       client->operation->partner_checks);
        if (write(seat->partner.out, &byte, 1) != 1)
            break;
    }
    monitor_leave();
    return NULL;
}

static bool start_partner(struct client *client, const struct locklab_mix *mix)
{
    struct seat *seat = client->seat;
    struct partner *partner = malloc(sizeof(*partner));

    seat->client = seat->partner = (struct ends){-1, -1};
    if (partner == NULL || !client->operation->open(seat)) {
        free(partner);
        return false;
    }
    *partner = (struct partner){*client, *mix};
    if (pthread_create(&seat->partner_thread, NULL, partner_main, partner) == 0)
        return true;
    free(partner);
    return false;
}

static void close_ends(struct ends *ends)
{
    if (ends->in >= 0)
        close(ends->in);
    if (ends->out >= 0 && ends->out != ends->in)
        close(ends->out);
    *ends = (struct ends){-1, -1};
}

static inline void client_init(struct client *client, struct state *state, unsigned thread,
                               const struct locklab_order *order)
{
    unsigned number = order->mix.option & OPERATION_MASK;

    *client = (struct client){state, &state->seats[thread], NULL};
    monitor_enter(&state->monitor, &client->seat->subject, thread, &order->mix);
    if (number >= OPERATIONS)
        return;
    client->operation = &operations[number];
    if (client->operation->open != NULL) {
        client->seat->has_partner = start_partner(client, &order->mix);
        if (!client->seat->has_partner)
            client->operation = NULL;
    }
}

static inline void client_leave(struct client *client, struct locklab_tally *tally)
{
    struct seat *seat = client->seat;

    if (seat->has_partner) {
        tally->torn += write(seat->client.out, "q", 1) != 1;
        pthread_join(seat->partner_thread, NULL);
        seat->has_partner = false;
        close_ends(&seat->client);
        close_ends(&seat->partner);
    }
    monitor_leave();
}

static inline uint64_t client_operate(struct client *client, struct locklab_tally *tally)
{
    const struct operation *operation = client->operation;

    if (operation == NULL ||
        !monitor_grants(&client->state->monitor, &client->seat->subject, operation->checks) ||
        !operation->perform(client->seat))
        tally->torn++;
    return 1;
}

static bool null_io(struct seat *seat)
{
    char byte;

    return read(seat->zero, &byte, 1) == 1 && write(seat->null, &byte, 1) == 1;
}

static bool stat_file(struct seat *seat)
{
    struct stat status;

    return stat(seat->file, &status) == 0;
}

static bool open_close(struct seat *seat)
{
    int file = open(seat->file, O_RDONLY | O_CLOEXEC);

    return file >= 0 && close(file) == 0;
}

static bool create_delete(struct seat *seat)
{
    int file = open(seat->spare, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

    return file >= 0 && close(file) == 0 && unlink(seat->spare) == 0;
}

static bool round_trip(struct seat *seat)
{
    char byte = 'x';

    return write(seat->client.out, &byte, 1) == 1 && read(seat->client.in, &byte, 1) == 1;
}

static bool ended_well(pid_t child)
{
    int status;

    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static bool fork_exit(struct seat *seat)
{
    pid_t child = fork();

    (void)seat;
    if (child == 0)
        _exit(0);
    return ended_well(child);
}

static bool fork_exec(struct seat *seat)
{
    pid_t child = fork();

    (void)seat;
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(127);
    }
    return ended_well(child);
}

static bool open_pipes(struct seat *seat)
{
    int there[2], back[2];

    if (pipe2(there, O_CLOEXEC) != 0)
        return false;
    if (pipe2(back, O_CLOEXEC) != 0) {
        close(there[0]);
        close(there[1]);
        return false;
    }
    seat->client = (struct ends){back[0], there[1]};
    seat->partner = (struct ends){there[0], back[1]};
    return true;
}

static bool open_unix(struct seat *seat)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    seat->client = (struct ends){pair[0], pair[0]};
    seat->partner = (struct ends){pair[1], pair[1]};
    return true;
}

/* A socket bound to loopback; its address in *address. */
static int bound(int type, struct sockaddr_in *address)
{
    socklen_t size = sizeof(*address);
    int end = socket(AF_INET, type | SOCK_CLOEXEC, 0);

    *address = (struct sockaddr_in){.sin_family = AF_INET};
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (end >= 0 && bind(end, (struct sockaddr *)address, size) == 0 &&
        getsockname(end, (struct sockaddr *)address, &size) == 0)
        return end;
    if (end >= 0)
        close(end);
    return -1;
}

/* A datagram that got lost ends a round trip after a second, as one that failed. */
static bool open_udp(struct seat *seat)
{
    const struct timeval patience = {.tv_sec = 1};
    struct sockaddr_in here, there;
    int client = bound(SOCK_DGRAM, &here);
    int partner = bound(SOCK_DGRAM, &there);

    seat->client = (struct ends){client, client};
    seat->partner = (struct ends){partner, partner};
    if (client >= 0 && partner >= 0 &&
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
        connect(client, (struct sockaddr *)&there, sizeof(there)) == 0 &&
        connect(partner, (struct sockaddr *)&here, sizeof(here)) == 0)
        return true;
    close_ends(&seat->client);
    close_ends(&seat->partner);
    return false;
}

/* Without delay, as lmbench has it: each byte goes at once. */
static bool open_tcp(struct seat *seat)
{
    struct sockaddr_in address;
    int listener = bound(SOCK_STREAM, &address), yes = 1;
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), partner = -1;

    if (listener >= 0 && client >= 0 && listen(listener, 1) == 0 &&
        connect(client, (struct sockaddr *)&address, sizeof(address)) == 0)
        partner = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (listener >= 0)
        close(listener);
    seat->client = (struct ends){client, client};
    seat->partner = (struct ends){partner, partner};
    if (partner >= 0 && setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)) == 0 &&
        setsockopt(partner, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)) == 0)
        return true;
    close_ends(&seat->client);
    close_ends(&seat->partner);
    return false;
}

#include LOCKLAB_LOOP

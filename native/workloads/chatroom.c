/* SPDX-License-Identifier: MIT */
/*
 * Chatroom, the benchmark of franke-2001: rooms of 20 users who all write to each other.
 *
 * A user is four threads and a TCP connection over loopback: the client's sender and receiver, the
 * server's receiver and sender. The client sends messages of 100 bytes; the server's
 * receiver hands each to the room's other users, one broadcast at a time in a room, through a
 * queue for each user, which that user's server sender empties. Every send and every receive is
 * checked once. Nagle's algorithm is left on, as the original leaves it.
 *
 * Counted are messages that clients have sent or received: 1 + 19 for each one sent, as in the
 * original, whose score they make in a second. The original lets each user send a fixed
 * number and takes the whole time; here a window is cut out of a conversation that goes on.
 *
 * Threads. 80 make a room; with fewer or more the last room has fewer users. Whoever waits looks
 * every 50 ms whether the time is up. Calls that failed are counted in `torn`.
 *
 * The mix: `think` turns between two steps of a thread, `hold` and `option` as in rcutest.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "structures/kernel.h"
#include "workloads/monitor.h"

#define USERS_A_ROOM 20
#define MESSAGE_BYTES 100
#define QUEUED 64
#define LOOK_NS 50000000
/* Bytes on their way in a connection: the defaults of Linux 2.4 (tcp_wmem, tcp_rmem). Left to itself,
 * a kernel of today lets megabytes pile up, and a window then counts what no one reads in it. */
#define SEND_BUFFER 16384
#define RECEIVE_BUFFER 87380

enum role { CLIENT_SEND, CLIENT_RECEIVE, SERVER_RECEIVE, SERVER_SEND, ROLES };

struct message {
    char text[MESSAGE_BYTES];
};

struct user {
    int ends[2]; /* the client's, the server's */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned queued, first;
    struct message queue[QUEUED];
};

struct room {
    pthread_mutex_t broadcast;
};

struct state {
    struct monitor monitor;
    unsigned users;
    struct user *user;
    struct room *room;
};

struct client {
    struct state *state;
    struct subject subject;
    enum role role;
    unsigned number; /* of the user */
    const atomic_bool *stop;
    unsigned done; /* bytes of the message */
    bool busy;     /* with a message */
    struct message message;
};

/* Before it connects, or the window that is told to the other side is too large. */
static bool bound_buffers(int socket)
{
    const int sent = SEND_BUFFER, received = RECEIVE_BUFFER;

    return setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &sent, sizeof(sent)) == 0 &&
           setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &received, sizeof(received)) == 0;
}

static bool connect_user(struct user *user, int listener, const struct sockaddr_in *address)
{
    const struct timeval look = {.tv_usec = LOOK_NS / 1000};
    bool right = true;

    user->ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (user->ends[0] < 0)
        return false;
    right = bound_buffers(user->ends[0]) &&
            connect(user->ends[0], (const struct sockaddr *)address, sizeof(*address)) == 0;
    if (right)
        user->ends[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    for (int i = 0; i < 2 && right; i++) {
        right = user->ends[i] >= 0 &&
                setsockopt(user->ends[i], SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look)) == 0 &&
                setsockopt(user->ends[i], SOL_SOCKET, SO_SNDTIMEO, &look, sizeof(look)) == 0;
    }
    return right;
}

static bool connect_users(struct state *state)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool right;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    right = listener >= 0 && bound_buffers(listener) && bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 &&
            listen(listener, 8) == 0 &&
            getsockname(listener, (struct sockaddr *)&address, &size) == 0;
    for (unsigned i = 0; i < state->users && right; i++)
        right = connect_user(&state->user[i], listener, &address);
    if (listener >= 0) {
        int error = errno;

        close(listener);
        errno = error;
    }
    return right;
}

static void dispose(void *arg)
{
    struct state *state = arg;

    for (unsigned i = 0; i < state->users; i++) {
        struct user *user = &state->user[i];

        for (int end = 0; end < 2; end++)
            if (user->ends[end] >= 0)
                close(user->ends[end]);
        pthread_cond_destroy(&user->changed);
        pthread_mutex_destroy(&user->lock);
        if (i % USERS_A_ROOM == 0)
            pthread_mutex_destroy(&state->room[i / USERS_A_ROOM].broadcast);
    }
    monitor_destroy(&state->monitor);
    free(state->user);
    free(state->room);
    free(state);
}

/* Each user takes two files: the soft limit may be too low for it, the hard one seldom is. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void *prepare(unsigned threads)
{
    struct state *state = aligned_alloc(LOCKLAB_PAD, sizeof(struct state));
    unsigned users = threads / ROLES;

    if (state == NULL)
        return NULL;
    state->users = 0;
    state->user = calloc(users + 1, sizeof(*state->user));
    state->room = calloc(users / USERS_A_ROOM + 1, sizeof(*state->room));
    monitor_init(&state->monitor);
    if (state->user != NULL && state->room != NULL) {
        for (; state->users < users; state->users++) {
            struct user *user = &state->user[state->users];

            user->ends[0] = user->ends[1] = -1;
            pthread_mutex_init(&user->lock, NULL);
            pthread_cond_init(&user->changed, NULL);
            if (state->users % USERS_A_ROOM == 0)
                pthread_mutex_init(&state->room[state->users / USERS_A_ROOM].broadcast, NULL);
        }
        raise_file_limit();
        if (connect_users(state))
            return state;
    }
    return given_up(state, dispose);
}

static uint64_t updates(const void *arg)
{
    (void)arg;
    return 0;
}

static inline void client_init(struct client *client, struct state *state, unsigned thread,
                               const struct locklab_order *order)
{
    *client = (struct client){
        .state = state, .role = thread % ROLES, .number = thread / ROLES, .stop = order->stop};
    monitor_enter(&state->monitor, &client->subject, thread, &order->mix);
}

static inline void client_leave(struct client *client, struct locklab_tally *tally)
{
    (void)client, (void)tally;
    monitor_leave();
}

static bool time_is_up(const struct client *client)
{
    return atomic_load_explicit(client->stop, memory_order_relaxed);
}

/* Waits for a change of the user's queue, or until it is time to look up. */
static void wait_for_change(struct user *user)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&user->changed, &user->lock, &until);
}

/* Puts the message into the user's queue; waits while it is full. */
static void enqueue(const struct client *client, struct user *user)
{
    pthread_mutex_lock(&user->lock);
    while (user->queued == QUEUED && !time_is_up(client))
        wait_for_change(user);
    if (user->queued < QUEUED) {
        user->queue[(user->first + user->queued++) % QUEUED] = client->message;
        pthread_cond_broadcast(&user->changed);
    }
    pthread_mutex_unlock(&user->lock);
}

/* Takes the next message out of the user's queue; false when there is none yet. */
static bool dequeue(struct client *client, struct user *user)
{
    bool found;

    pthread_mutex_lock(&user->lock);
    if (user->queued == 0)
        wait_for_change(user);
    found = user->queued > 0;
    if (found) {
        client->message = user->queue[user->first];
        user->first = (user->first + 1) % QUEUED;
        user->queued--;
        pthread_cond_broadcast(&user->changed);
    }
    pthread_mutex_unlock(&user->lock);
    return found;
}

/* Hands the message to the others in the room, one broadcast at a time. */
static void broadcast(const struct client *client)
{
    struct state *state = client->state;
    unsigned number = client->number / USERS_A_ROOM;
    unsigned first = number * USERS_A_ROOM;

    pthread_mutex_lock(&state->room[number].broadcast);
    for (unsigned i = first; i < first + USERS_A_ROOM && i < state->users; i++)
        if (i != client->number)
            enqueue(client, &state->user[i]);
    pthread_mutex_unlock(&state->room[number].broadcast);
}

/* One call on the socket; true when the message is through. */
static bool move(struct client *client, int end, bool send_it, struct locklab_tally *tally)
{
    int socket = client->state->user[client->number].ends[end];
    char *text = client->message.text + client->done;
    size_t left = MESSAGE_BYTES - client->done;
    ssize_t moved;

    if (!monitor_grants(&client->state->monitor, &client->subject, 1))
        tally->torn++;
    moved = send_it ? send(socket, text, left, MSG_NOSIGNAL) : recv(socket, text, left, 0);
    if (moved > 0)
        client->done += (unsigned)moved;
    else if (moved == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
        tally->torn++;
    if (client->done < MESSAGE_BYTES)
        return false;
    client->done = 0;
    return true;
}

/* One step of one of the four; 1 when a client is through with a message. */
static inline uint64_t client_operate(struct client *client, struct locklab_tally *tally)
{
    if (client->number >= client->state->users) {
        usleep(LOOK_NS / 1000);
        return 0;
    }
    switch (client->role) {
    case CLIENT_SEND:
        return move(client, 0, true, tally);
    case CLIENT_RECEIVE:
        return move(client, 0, false, tally);
    case SERVER_RECEIVE:
        if (move(client, 1, false, tally))
            broadcast(client);
        return 0;
    default:
        if (!client->busy)
            client->busy = dequeue(client, &client->state->user[client->number]);
        if (client->busy)
            client->busy = !move(client, 1, true, tally);
        return 0;
    }
}

#include LOCKLAB_LOOP

/* SPDX-License-Identifier: MIT */
/* The timer and the delays of disturb.h. */
#define _GNU_SOURCE
#include "harness/disturb.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "harness/harness.h"

#define DISTURB (SIGRTMIN + 2)

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static _Thread_local uint64_t random_state;
static _Thread_local timer_t timer;
static _Thread_local bool armed;

/* Marsaglia's xorshift64: any state but 0 is valid. */
static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    if (random_state == 0) /* the timer fired between two steps */
        random_state = 1;
    return (uint32_t)(random_state >> 32) % n;
}

static void delay(void)
{
    uint32_t kind = random_below(16);

    if (kind == 0)
        sched_yield();
    else
        locklab_spend(1u << random_below(kind == 1 ? 16 : 12));
}

static void arm(void)
{
    struct itimerspec once = {.it_value = {.tv_nsec = 20000 + random_below(180000)}};

    timer_settime(timer, 0, &once, NULL);
}

static void on_timer(int signal)
{
    (void)signal;
    if (!armed)
        return;
    delay();
    arm();
}

void locklab_disturb_begin(uint64_t seed)
{
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    struct sigevent event;
    sigset_t set;

    random_state = seed * 0x9e3779b97f4a7c15u | 1;
    memset(&event, 0, sizeof(event));
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = DISTURB;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    if (sigaction(DISTURB, &action, NULL) != 0 ||
        timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return;
    armed = true;
    sigemptyset(&set);
    sigaddset(&set, DISTURB);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    arm();
}

void locklab_disturb_end(void)
{
    if (!armed)
        return;
    armed = false;
    timer_delete(timer);
}

/* Spins; now and then it delays the thread or yields the CPU. */
void locklab_rough_pause(void)
{
    uint32_t kind = random_below(256);

    if (kind == 0)
        delay();
    else if (kind < 4)
        sched_yield();
    else
        locklab_relax();
}

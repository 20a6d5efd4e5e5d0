/* SPDX-License-Identifier: MIT */
/*
 * The futex locks call the kernel only where a thread may sleep.
 *
 * The calls are counted in place of the kernel. The mark of a sleeper is set by hand.
 */
#include <linux/futex.h>
#include <stdio.h>

static unsigned calls;

static long counted(long number, ...)
{
    (void)number;
    calls++;
    return 0;
}

#include <unistd.h>
#define syscall counted
#include "locklab/futex.h"

static struct locklab_futex mutex;

static int expect(const char *after, unsigned expected_calls, uint32_t expected_value)
{
    uint32_t value = atomic_load(&mutex.value);

    if (calls == expected_calls && value == expected_value)
        return 0;
    printf("after %s: %u calls, and the word is %u\n", after, calls, value);
    return 1;
}

int main(void)
{
    int wrong = 0;

    locklab_futex_init(&mutex);
    locklab_futex_acquire(&mutex);
    wrong |= expect("acquire", 0, LOCKLAB_FUTEX_HELD);
    locklab_futex_release(&mutex);
    wrong |= expect("release", 0, LOCKLAB_FUTEX_FREE);
    atomic_store(&mutex.value, LOCKLAB_FUTEX_SLEEPERS);
    locklab_futex_release(&mutex);
    wrong |= expect("release beside a sleeper", 1, LOCKLAB_FUTEX_FREE);
    return wrong;
}

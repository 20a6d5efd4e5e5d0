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
#include "locklab/futex_rwlock.h"

static struct locklab_futex mutex;
static struct locklab_futex_rwlock rwlock;

static int expect(const char *after, _Atomic(uint32_t) *word, unsigned expected_calls,
                  uint32_t expected_value)
{
    uint32_t value = atomic_load(word);

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
    wrong |= expect("acquire", &mutex.value, 0, LOCKLAB_FUTEX_HELD);
    locklab_futex_release(&mutex);
    wrong |= expect("release", &mutex.value, 0, LOCKLAB_FUTEX_FREE);
    atomic_store(&mutex.value, LOCKLAB_FUTEX_SLEEPERS);
    locklab_futex_release(&mutex);
    wrong |= expect("release beside a sleeper", &mutex.value, 1, LOCKLAB_FUTEX_FREE);

    locklab_futex_rwlock_init(&rwlock);
    locklab_futex_rwlock_read_acquire(&rwlock);
    locklab_futex_rwlock_read_acquire(&rwlock);
    wrong |= expect("two readers", &rwlock.value, 1, 2);
    locklab_futex_rwlock_read_release(&rwlock);
    locklab_futex_rwlock_read_release(&rwlock);
    locklab_futex_rwlock_write_acquire(&rwlock);
    wrong |= expect("a writer", &rwlock.value, 1, LOCKLAB_FUTEX_RWLOCK_WRITER);
    locklab_futex_rwlock_write_release(&rwlock);
    wrong |= expect("its release", &rwlock.value, 1, 0);
    atomic_store(&rwlock.value, 2 | LOCKLAB_FUTEX_RWLOCK_SLEEPERS);
    locklab_futex_rwlock_read_release(&rwlock);
    wrong |= expect("the first of two readers", &rwlock.value, 1,
                    1 | LOCKLAB_FUTEX_RWLOCK_SLEEPERS);
    locklab_futex_rwlock_read_release(&rwlock);
    wrong |= expect("the last reader", &rwlock.value, 2, 0);
    return wrong;
}

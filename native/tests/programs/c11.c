/* SPDX-License-Identifier: MIT */
/* C11 threads: a mutex, a condition, a result. */
#include <threads.h>

static mtx_t mutex;
static cnd_t condition;
static int ready;

static int work(void *unused)
{
    (void)unused;
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&condition, &mutex);
    mtx_unlock(&mutex);
    return 7;
}

int main(void)
{
    thrd_t thread;
    int result;

    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    thrd_create(&thread, work, NULL);
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    thrd_join(thread, &result);
    return result != 7;
}

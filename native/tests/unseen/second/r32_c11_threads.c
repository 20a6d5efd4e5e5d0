/* The threads of C11: mtx_t, cnd_t, call_once, thrd_join with a result. */
#include <assert.h>
#include <stdbool.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static bool open_;
static int passed;

static void setup(void)
{
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
}

static int guest(void *arg)
{
    call_once(&once, setup);
    mtx_lock(&m);
    while (!open_)
        cnd_wait(&c, &m);
    int n = ++passed;
    mtx_unlock(&m);
    return n + *(int *)arg;
}

int main(void)
{
    int offset = 100, r[2];
    thrd_t t[2];

    for (int i = 0; i < 2; i++)
        if (thrd_create(&t[i], guest, &offset) != thrd_success)
            return 0;
    call_once(&once, setup);
    mtx_lock(&m);
    open_ = true;
    cnd_broadcast(&c);
    mtx_unlock(&m);
    for (int i = 0; i < 2; i++)
        thrd_join(t[i], &r[i]);
    assert(r[0] + r[1] == 203 && passed == 2);
    cnd_destroy(&c);
    mtx_destroy(&m);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* What begins and ends a program: constructors, sections with names, keys, atexit(), destructors. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic int n;
static int built __attribute__((section("mine"))) = 1;
static int odd __attribute__((section(".mine.two"))) = 2;
extern int __start_mine[], __stop_mine[];
static pthread_key_t key;
static int destroyed;

__attribute__((constructor(200))) static void begin_first(void)
{
    locklab_assert(built == 1);
}

__attribute__((constructor)) static void begin(void)
{
    built++;
    odd++;
}

__attribute__((destructor)) static void end(void)
{
    locklab_assert(WRONG != 1 && built == 3);
}

static void at_exit(void)
{
    locklab_assert(WRONG != 2 && n == 2);
    built++;
}

static void destroy(void *value)
{
    destroyed++;
    free(value);
}

static void *other(void *unused)
{
    pthread_setspecific(key, malloc(8));
    locklab_assert(pthread_getspecific(key) != NULL);
    n++;
    return unused;
}

int main(void)
{
    pthread_t thread;

    locklab_assert(built == 2 && odd == 3 && __stop_mine - __start_mine == 1);
    atexit(at_exit);
    pthread_key_create(&key, WRONG == 3 ? NULL : destroy);
    pthread_create(&thread, NULL, other, NULL);
    n++;
    pthread_join(thread, NULL);
    locklab_assert(pthread_getspecific(key) == NULL && (WRONG == 3 || destroyed == 1));
    return 0;
}

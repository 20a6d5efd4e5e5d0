/* SPDX-License-Identifier: MIT */
/* A thread that could not be taken off liburcu's list when it ends is refused, not registered. */
#include <stdio.h>

#include "locklab/structures/avc_rcu.h"

int main(void)
{
    pthread_key_t key;

    while (pthread_key_create(&key, NULL) == 0)
        ;
    if (locklab_avc_enter_thread()) {
        puts("no thread-specific key was left, and the thread entered");
        return 1;
    }
    return 0;
}

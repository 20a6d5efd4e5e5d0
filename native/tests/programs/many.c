/* SPDX-License-Identifier: MIT */
/* More threads one after the other than were once allowed; and exit() while main() holds memory. */
#include <pthread.h>
#include <stdlib.h>

static int count;

static void *work(void *unused)
{
    count++;
    if (count == 30)
        exit(0);
    return unused;
}

int main(void)
{
    void *held = malloc(10);

    for (int i = 0; i < 30; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    free(held);
    return 0;
}

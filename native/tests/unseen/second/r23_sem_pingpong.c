/* Two semaphores hand a plain buffer back and forth. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static sem_t turn[2];
static char out[8];

static void *player(void *arg)
{
    const char *letter = arg;
    int me = letter[0] == 'b';

    for (int i = 0; i < 2; i++) {
        sem_wait(&turn[me]);
        strcat(out, letter);
        sem_post(&turn[!me]);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    sem_init(&turn[0], 0, 1);
    sem_init(&turn[1], 0, 0);
    pthread_create(&a, NULL, player, "a");
    pthread_create(&b, NULL, player, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(strcmp(out, "abab") == 0);
    sem_destroy(&turn[0]);
    sem_destroy(&turn[1]);
    return 0;
}

/* No room for the terminating zero. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char *_Atomic name;

static void *set(void *arg)
{
    char *s = malloc(strlen(arg));

    if (!s)
        return NULL;
    strcpy(s, arg);
    free(atomic_exchange(&name, s));
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, set, "eightcha");
    pthread_create(&b, NULL, set, "sixteencharacter");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(name);
    return 0;
}

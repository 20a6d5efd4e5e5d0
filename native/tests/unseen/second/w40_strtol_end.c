/* Both threads let strtol() store the end into the same static pointer. */
#include <pthread.h>
#include <stdlib.h>

static char *end;
static long value[2];

static void *first(void *unused)
{
    value[0] = strtol("12", &end, 10);
    return unused;
}

static void *second(void *unused)
{
    value[1] = strtol("345", &end, 10);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value[0] == 12 && value[1] == 345 ? 0 : 1;
}

/* gmtime() gives both threads the same struct. */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static int year[2];

static void *first(void *unused)
{
    time_t t = 0;
    struct tm *tm = gmtime(&t);

    if (tm)
        year[0] = tm->tm_year;
    return unused;
}

static void *second(void *unused)
{
    time_t t = 1000000000;
    struct tm *tm = gmtime(&t);

    if (tm)
        year[1] = tm->tm_year;
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(year[0] == 70 && year[1] == 101);
    return 0;
}

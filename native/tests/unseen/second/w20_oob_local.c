/* A local array of four digits; the second to add gets a number of five. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;
static atomic_int last_digit;

static void print(int v)
{
    char digit[4];
    int k = 0;

    do {
        digit[k++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    atomic_store(&last_digit, digit[0]);
}

static void *worker(void *unused)
{
    print(atomic_fetch_add(&sum, 6000) + 6000);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

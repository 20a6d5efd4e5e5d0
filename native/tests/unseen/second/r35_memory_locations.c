/* Neighbours that are memory locations of their own (C11 3.14): no race. */
#include <assert.h>
#include <pthread.h>

static struct {
    unsigned a : 5;
    unsigned : 0;               /* ends the memory location */
    unsigned b : 7;
    unsigned char c;            /* not a bit-field: a location of its own */
    char d[2];
    short e;
} s;

static void *first(void *unused)
{
    s.a = 17;
    s.c = 200;
    s.d[0] = 'x';
    return unused;
}

static void *second(void *unused)
{
    s.b = 99;
    s.d[1] = 'y';
    s.e = -3;
    s.b++;
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(s.a == 17 && s.b == 100 && s.c == 200);
    assert(s.d[0] == 'x' && s.d[1] == 'y' && s.e == -3);
    return 0;
}

/* A constant table of operations; each thread writes only its own element of the results. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum op { OP_NONE, OP_ADD, OP_MUL, OP_COUNT };

static int add(int a, int b) { return a + b; }
static int mul(int a, int b) { return a * b; }

static const struct {
    const char *name;
    int (*run)(int, int);
    int unit;
} ops[OP_COUNT] = {
    [OP_MUL] = { .name = "mul", .run = mul, .unit = 1 },
    [OP_ADD] = { .name = "add", .run = add },
};

static struct { char tag; int value; } result[OP_COUNT] = { [OP_NONE] = { 'x', -1 } };

static void *apply(void *arg)
{
    enum op op = (enum op)(ptrdiff_t)arg;

    result[op].value = ops[op].unit;
    for (int i = 2; i < 5; i++)
        result[op].value = ops[op].run(result[op].value, i);
    result[op].tag = ops[op].name[0];
    return NULL;
}

int main(void)
{
    pthread_t t[OP_COUNT];

    for (enum op op = OP_ADD; op < OP_COUNT; op++)
        pthread_create(&t[op], NULL, apply, (void *)(ptrdiff_t)op);
    for (enum op op = OP_ADD; op < OP_COUNT; op++)
        pthread_join(t[op], NULL);
    assert(ops[OP_NONE].run == NULL && result[OP_NONE].value == -1);
    assert(result[OP_ADD].value == 9 && result[OP_ADD].tag == 'a');
    assert(result[OP_MUL].value == 24 && result[OP_MUL].tag == 'm');
    return 0;
}

/* The forms in which C can access an object, as forms.h lists them: ACCESS(number, type, whether it
 * writes, statement). The statement accesses *shared, all of whose bytes are 1 before and behind it.
 * The seed says which form runs, and how: beside another access to the last byte (0), on freed memory
 * (1), or as it should be (2). */
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { RACED, FREED, HONEST };

typedef struct { char at[3]; } odd;
typedef struct { long a, b; } pair;
typedef struct { double a; float b, c; } reals;
typedef struct { double a; long b; } mixed;
typedef struct { long at[9]; } big;
typedef struct { char at[300]; } huge;
typedef struct { unsigned a : 3, b : 11, c : 18; } bits;
typedef union { long a; char at[16]; } either;
typedef int vector __attribute__((vector_size(16)));
typedef _Complex double complex;
typedef __int128 wide;

#define LAST(of) ((char *)(of + 1))[-1]
#define TYPE(type)                                                                                 \
    static type make_##type(void)                                                                  \
    {                                                                                              \
        type made;                                                                                 \
        memset(&made, 1, sizeof(made));                                                            \
        return made;                                                                               \
    }                                                                                              \
    static int take_##type(type taken)                                                             \
    {                                                                                              \
        return LAST(&taken);                                                                       \
    }                                                                                              \
    static int sum_##type(int n, ...)                                                              \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, n);                                                                         \
        type taken = va_arg(more, type);                                                           \
        va_end(more);                                                                              \
        return take_##type(taken);                                                                 \
    }                                                                                              \
    static type same_##type(type *at)                                                              \
    {                                                                                              \
        (void)(make_##type() , take_##type, sum_##type);                                           \
        return *at;                                                                                \
    }
TYPE(odd)
TYPE(pair)
TYPE(reals)
TYPE(mixed)
TYPE(big)
TYPE(huge)
TYPE(bits)
TYPE(either)
TYPE(vector)
TYPE(complex)
TYPE(wide)

static void *object;
static int chosen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct {
    size_t size;
    int writes;
} forms[] = {
#define ACCESS(number, type, writes, ...) {sizeof(type), writes},
#include "forms.h"
#undef ACCESS
};

#define ACCESS(number, type, writes, ...)                                                          \
    static void use_##number(type *shared)                                                         \
    {                                                                                              \
        type local, *at = &local;                                                                  \
        memset(at, 1, sizeof(local));                                                              \
        (void)same_##type;                                                                         \
        __VA_ARGS__;                                                                               \
    }
#include "forms.h"
#undef ACCESS

static unsigned long form(void)
{
    return locklab_seed() / 3;
}

static unsigned long how(void)
{
    return locklab_seed() % 3;
}

static void use(void)
{
    switch (form()) {
#define ACCESS(number, ...)                                                                        \
    case number:                                                                                   \
        use_##number(object);                                                                      \
        break;
#include "forms.h"
    }
}

void locklab_setup(void)
{
    object = malloc(forms[form()].size);
    memset(object, 1, forms[form()].size);
    if (how() == FREED)
        free(object);
}

void locklab_thread(int me)
{
    char *last = (char *)object + forms[form()].size - 1;

    if (how() == HONEST)
        pthread_mutex_lock(&lock);
    if (me == 0)
        use();
    else if (how() == RACED && forms[form()].writes)
        chosen = *last;
    else if (how() != FREED)
        *last = 1;
    if (how() == HONEST)
        pthread_mutex_unlock(&lock);
}

void locklab_check(void)
{
    for (unsigned i = 0; how() == HONEST && i < forms[form()].size; i++)
        locklab_assert(((char *)object)[i] == 1);
    if (how() != FREED)
        free(object);
}

/* A log with variable arguments: text through vsnprintf, structs by value through va_arg. */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct point { int x, y, z; };

static struct {
    pthread_mutex_t lock;
    size_t len;
    char text[32];
} log_ = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void note(const char *format, ...)
{
    va_list ap;

    pthread_mutex_lock(&log_.lock);
    va_start(ap, format);
    log_.len += (size_t)vsnprintf(log_.text + log_.len, sizeof log_.text - log_.len, format, ap);
    va_end(ap);
    pthread_mutex_unlock(&log_.lock);
}

static int sum_points(int n, ...)
{
    va_list ap;
    int sum = 0;

    va_start(ap, n);
    while (n-- > 0) {
        struct point p = va_arg(ap, struct point);
        sum += p.x + p.y + p.z;
    }
    va_end(ap);
    return sum;
}

static void *worker(void *arg)
{
    struct point p = { 1, 2, 3 };

    note("%s=%d;", (const char *)arg, sum_points(2, p, (struct point){ .y = 4 }));
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, "a");
    pthread_create(&b, NULL, worker, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(strlen(log_.text) == log_.len && log_.len == 10);
    assert(strstr(log_.text, "a=10;") && strstr(log_.text, "b=10;"));
    return 0;
}

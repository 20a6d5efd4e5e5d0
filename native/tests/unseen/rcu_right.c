/* An updater that frees the old object after the grace period. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu.h>

struct object { int value; };

static struct object *current;

static void *reader(void *unused)
{
    rcu_register_thread();
    rcu_read_lock();
    struct object *object = rcu_dereference(current);
    assert(object->value >= 1);
    rcu_read_unlock();
    rcu_unregister_thread();
    return unused;
}

static void *updater(void *unused)
{
    struct object *fresh = malloc(sizeof *fresh), *old = current;

    fresh->value = 2;
    rcu_register_thread();
    rcu_assign_pointer(current, fresh);
    synchronize_rcu();
    free(old);
    rcu_unregister_thread();
    return unused;
}

int main(void)
{
    pthread_t a, b;

    current = malloc(sizeof *current);
    current->value = 1;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, updater, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

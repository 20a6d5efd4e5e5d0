/* Three philosophers; each takes the fork of its own number first. */
#include <pthread.h>

static pthread_mutex_t fork_[3] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};
static int meals[3];

void locklab_thread(int me)
{
    pthread_mutex_lock(&fork_[me]);
    pthread_mutex_lock(&fork_[(me + 1) % 3]);
    meals[me]++;
    pthread_mutex_unlock(&fork_[me]);
    pthread_mutex_unlock(&fork_[(me + 1) % 3]);
}

/* Three philosophers; the last one takes the fork of the lower number first too. */
#include <pthread.h>

static pthread_mutex_t fork_[3] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};
static int meals[3];

void locklab_thread(int me)
{
    int left = me, right = (me + 1) % 3;

    if (me == 2) {
        left = 0;
        right = 2;
    }
    pthread_mutex_lock(&fork_[left]);
    pthread_mutex_lock(&fork_[right]);
    meals[me]++;
    pthread_mutex_unlock(&fork_[left]);
    pthread_mutex_unlock(&fork_[right]);
}

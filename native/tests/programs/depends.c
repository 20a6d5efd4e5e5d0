/* Each thread reads the other's word and writes its own: what it writes depends on what it reads, by a
 * branch or by the value, or on neither. */
#include <stdatomic.h>

#include "locklab/explore.h"

static _Atomic int words[2];

void locklab_thread(int me)
{
    int found = atomic_load_explicit(&words[1 - me], memory_order_relaxed);
    int other = DEPENDS == 2 ? found + 1 : 1;

    if (DEPENDS != 1 || found == 0)
        atomic_store_explicit(&words[me], other, memory_order_relaxed);
}

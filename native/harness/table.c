/* SPDX-License-Identifier: MIT */
/* The table of kernels. The build writes kernels.def, one KERNEL(name) a lock. */
#include <string.h>

#include "harness/harness.h"

#define KERNEL(lock)                                                                               \
    extern const struct locklab_loop locklab_validate_##lock;                                      \
    extern const struct locklab_loop locklab_throughput_##lock;                                    \
    extern const bool locklab_has_read_##lock;
#include "kernels.def"
#undef KERNEL

static const struct locklab_kernel kernels[] = {
#define KERNEL(lock)                                                                               \
    {#lock, &locklab_validate_##lock, &locklab_throughput_##lock, &locklab_has_read_##lock},
#include "kernels.def"
#undef KERNEL
};

const struct locklab_kernel *locklab_kernel_at(unsigned number)
{
    return number < sizeof(kernels) / sizeof(kernels[0]) ? &kernels[number] : NULL;
}

const struct locklab_kernel *locklab_kernel_find(const char *name)
{
    const struct locklab_kernel *kernel;

    for (unsigned i = 0; (kernel = locklab_kernel_at(i)) != NULL; i++)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

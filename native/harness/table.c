/* SPDX-License-Identifier: MIT */
/* The table of kernels. The build writes loops.def, with LOOP(loop, name) for each loop, and
 * kernels.def, with KERNEL(name, kind, loops) for each kernel. */
#include <string.h>

#include "harness/harness.h"

#define LOOP(loop, name) extern const struct locklab_loop locklab_##loop##_##name;
#include "loops.def"
#undef LOOP

static const struct locklab_kernel kernels[] = {
#define KERNEL(name, kind, ...) {#name, kind, {__VA_ARGS__}},
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

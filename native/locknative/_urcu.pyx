"""One flavour of liburcu behind checks, as Python sees it (private: use locknative.urcu).

Compiled once a flavour, each under a name of its own. Relies on the GIL: a reference that a reader
takes inside its section is taken before any other thread's Python code can release the object.

The parts lie beside the C code that they bind, in native/urcu.
"""

include "checked.pxi"
include "waiting.pxi"
include "deferred.pxi"
include "forking.pxi"
include "container.pxi"
include "pointer.pxi"
include "table.pxi"
include "queues.pxi"
include "stacks.pxi"
include "list.pxi"
include "workers.pxi"

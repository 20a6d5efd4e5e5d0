"""Run an untrusted program, and get bytes back from it: nothing else.

Mechanism. Three processes stand between the grader and untrusted code. **bubblewrap**, started
with an empty environment, makes the namespaces (mount, pid, net, ipc, uts, cgroup) and a root that
holds /usr, the interpreter and the files of the job, all read-only, and one private /tmp with a
size. :mod:`inside`, the first program in there, gives up what is left (uid, groups, capabilities,
the right to gain any; a user namespace of its own), sets the resource limits *inside*, where they
are not shared with other sandboxes, loads the seccomp filter of :mod:`filter`, and replaces itself
by the job. Outside, :mod:`watch` reads its two pipes up to a size, counts the time and the memory
of the whole tree of processes, and ends all of them.

Invariants. Nothing of the job's exit code, standard output or timing is a verdict: callers validate
the bytes as hostile input. A sandbox that cannot be made raises :class:`SandboxError`; a job is
never run without one instead. When :func:`run` returns, no process of the job is alive: the death
of the first process of a pid namespace kills the rest, and in the profile without namespaces all
processes of the sandbox's own uid are killed.

Two profiles. ``namespaces`` is the above. ``platform`` is for a grader inside a container that is
the sandbox already and forbids new namespaces. It uses a uid of the sandbox's own, the same limits
and the same filter, which there also refuses every new process. Files are protected by their
permissions only. It needs root, and an interpreter that other users may read.

``unconfined`` is not a sandbox but a plain process with limits. It is for students who try their
own work on their own machine without bubblewrap and ask for it. No command that grades accepts it.

Not protected against: a hole in a system call that the filter allows; timing channels between two
jobs on one machine; memory above the limit for the 20 ms between two samples of the watch (the
address space limit still holds for each process).
"""

from lockgrader.sandbox.job import Job, Limits, Profile, SandboxError
from lockgrader.sandbox.run import available, run
from lockgrader.sandbox.watch import Outcome

__all__ = ["Job", "Limits", "Outcome", "Profile", "SandboxError", "available", "run"]

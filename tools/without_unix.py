"""Run a `locklab` command with the modules hidden that only Unix has, as if this were Windows.

What locknative has compiled is hidden too.

`.venv/bin/python tools/without_unix.py lab check --sandbox none`
"""

import importlib
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

MODULES = ("fcntl", "grp", "pty", "pwd", "pyseccomp", "resource", "syslog", "termios", "tty")
COMPILED = "locknative._urcu"
FUNCTIONS = {
    os: "fork forkpty getpgrp getuid geteuid killpg sched_getaffinity setsid sysconf tcgetpgrp",
    signal: "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGSYS SIGUSR1 SIGXCPU alarm pthread_sigmask",
}


class Others:
    """A finder that does not find the hidden modules."""

    def __init__(self, finder: Any) -> None:
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """As the finder, but None for what is hidden."""
        if name in MODULES or name.startswith(COMPILED):
            return None
        spec = self._finder.find_spec(name, path, target)
        if spec is not None and name == "locknative":
            # What was built lies in a folder of its own.
            folders = spec.submodule_search_locations
            folders[:] = [each for each in folders if Path(each, "__init__.py").exists()]
        return spec


def hide() -> None:
    """Take the modules and functions away; what the standard library needs of them is loaded."""
    for name in ("multiprocessing.spawn", "signal", "subprocess", "tempfile", "zipfile"):
        importlib.import_module(name)
    # Python's own module that ends a process is another one on Windows: this one keeps its signals.
    importlib.import_module("multiprocessing.popen_fork").signal = SimpleNamespace(**vars(signal))
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path[:] = [Others(finder) for finder in sys.meta_path]
    for owner, names in FUNCTIONS.items():
        for name in names.split():
            delattr(owner, name)


if __name__ == "__main__":
    hide()
    import locklab

    sys.exit(locklab.main(sys.argv[1:]))

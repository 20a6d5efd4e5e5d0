"""The option ``--sandbox`` of commands that run one's own work; ``none`` is a plain process.

A sandbox needs Linux. Elsewhere a student's own work runs as a plain process by default.
"""

from __future__ import annotations

from typing import Annotated

from lockgrader.sandbox import Profile, available
from lockgrader.sandbox.job import PROFILES
from lockui.command import Detail
from lockui.completion import among
from lockui.errors import UsageError
from lockui.portable import LINUX

NONE = "none"
HERE = "namespaces" if LINUX else NONE
"""The default for a student's own work."""
OwnWork = Annotated[str, Detail(values=among((*PROFILES, NONE)))]
OfOthers = Annotated[str, Detail(values=among(PROFILES))]


def known(sandbox: str) -> Profile:
    """Return the profile of a name; what grades the work of others has no ``none``.

    Raises:
        UsageError: there is no such sandbox.
    """
    for profile in PROFILES:
        if profile == sandbox:
            return profile
    raise UsageError(f"--sandbox {sandbox}: write one of {', '.join(PROFILES)}")


def usable(sandbox: str) -> Profile:
    """Return the profile for one's own work, once it is certain that it can be made here.

    Raises:
        UsageError: there is no such sandbox, or this machine cannot make it.
    """
    if sandbox == NONE:
        return "unconfined"
    profile = known(sandbox)
    if missing := available(profile):
        raise UsageError(f"{missing}\nor, for your own work on your own machine: --sandbox none")
    return profile

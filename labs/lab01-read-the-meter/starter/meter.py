"""Your own lock meter, and the overheads of 2001. Try: locklab lab check meter overhead

You may import numpy and anything of the standard library.
"""


def lockmeter(events, cpus, begin_ns, end_ns):
    """The columns of a lock meter for one lock and the window [begin_ns, end_ns).

    Arguments:
        events: in the order of time, each {"ns": time, "cpu": number, "what": word}. The word is
            "want" (asks for the lock), "got" (holds it from now on) or "free" (gives it back).
        cpus: how many CPUs there are.

    Returns:
        {"total", "con", "hold_ns", "wait_ns", "util", "cpu_share"}: a number for each; con, util
        and cpu_share are fractions.
    """
    return {}


def overhead(rows):
    """What SELinux costs, in per cent of the vanilla kernel's throughput.

    Arguments:
        rows: each {"kernel": "vanilla" or "selinux", "rooms", "messages", "cpus", "value"}.

    Returns:
        a list of {"rooms", "messages", "cpus", "value"}, one for each three.
    """
    return []


def example():
    """Part 5 works this trace out by hand: two CPUs, window 0 to 100."""
    events = [
        {"ns": 10, "cpu": 0, "what": "want"},
        {"ns": 12, "cpu": 0, "what": "got"},
        {"ns": 20, "cpu": 1, "what": "want"},
        {"ns": 42, "cpu": 0, "what": "free"},
        {"ns": 50, "cpu": 1, "what": "got"},
        {"ns": 60, "cpu": 1, "what": "free"},
    ]
    return lockmeter(events, cpus=2, begin_ns=0, end_ns=100)


if __name__ == "__main__":
    print(example())

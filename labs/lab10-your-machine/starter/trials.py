"""What you do with trials. Try: locklab lab check set-a

Both functions get a list of rows, one for each thread of each trial:

    {"trial": 0, "thread": 0, "count": 671342, "wall_ns": 20080712, "cpu_ns": 20033157,
     "turn_ns": 0.2734}

count: how often the thread had the lock. wall_ns: time from its begin to its end. cpu_ns: the time
for which it had its CPU. turn_ns: one iteration of private work, measured beside the trial.
"""


def diagnose(trials):
    """What spoiled a set of 24 trials, and how many of them.

    Returns:
        {"cause": 1, 2, 3 or 0, "spoiled": a number of trials}. 1: a slower clock from some trial
        on. 2: CPUs that moved away from each other. 3: another hardware thread on a core, now and
        then. 0: nothing.
    """
    return {}


def reading(trials):
    """What trials of one lock say, good ones and disturbed ones.

    Returns:
        {"trials": number of good ones, "near": how many of these are near, "near_ns": their median,
        "far_ns": the median of the others}; times in ns from one section to the next on one thread.
    """
    return {}

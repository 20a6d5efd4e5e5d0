"""What a student does with trials: the solution."""

from statistics import median


def by_trial(trials):
    """Trial → its rows, one a thread."""
    found = {}
    for row in trials:
        found.setdefault(row["trial"], []).append(row)
    return list(found.values())


def time_ns(rows):
    """Time from one section to the next on one thread."""
    return sum(r["wall_ns"] for r in rows) / sum(r["count"] for r in rows)


def diagnose(trials):
    """Private work first: it has neither lock nor neighbour in it."""
    every = by_trial(trials)
    turn = min(r["turn_ns"] for r in trials)
    slow = [[r["turn_ns"] > 1.1 * turn for r in rows] for rows in every]
    both, one = sum(all(s) for s in slow), sum(any(s) and not all(s) for s in slow)
    if both > one:
        return {"cause": 1, "spoiled": both}
    if one:
        return {"cause": 3, "spoiled": one}
    times = [time_ns(rows) for rows in every]
    far = sum(t > 1.4 * min(times) for t in times)
    return {"cause": 2 if far else 0, "spoiled": far}


def reading(trials):
    """Good trials, in two groups."""
    turn = min(r["turn_ns"] for r in trials)
    times = sorted(
        time_ns(rows)
        for rows in by_trial(trials)
        if all(r["cpu_ns"] >= 0.99 * r["wall_ns"] and r["turn_ns"] <= 1.1 * turn for r in rows)
    )
    edge = max(range(1, len(times)), key=lambda i: times[i] / times[i - 1])
    near, far = times[:edge], times[edge:]
    return {
        "trials": len(times),
        "near": len(near),
        "near_ns": median(near),
        "far_ns": median(far),
    }

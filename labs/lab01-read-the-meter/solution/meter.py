"""A lock meter, and the overheads of 2001: the solution."""


def lockmeter(events, cpus, begin_ns, end_ns):
    """The columns of a lock meter for one lock and the window [begin_ns, end_ns)."""
    asked, got, depth = {}, {}, {}
    holds = []
    for event in events:
        ns, cpu, what = event["ns"], event["cpu"], event["what"]
        if what == "free":
            depth[cpu] -= 1
            if not depth[cpu]:
                holds.append((cpu, asked[cpu], got[cpu], ns))
        elif depth.get(cpu, 0):
            if what == "got":
                depth[cpu] += 1
        elif what == "want":
            asked[cpu] = ns
        else:
            got[cpu] = ns
            depth[cpu] = 1
    counted = [one for one in holds if begin_ns <= one[2] < end_ns]
    waits = []
    for cpu, want, since, _ in counted:
        if any(c != cpu and g < since and f > want for c, _, g, f in holds):
            waits.append(since - want)
    busy = sum(max(0, min(f, end_ns) - max(g, begin_ns)) for _, _, g, f in holds)
    total, window = len(counted), end_ns - begin_ns
    return {
        "total": total,
        "con": len(waits) / total if total else 0,
        "hold_ns": sum(f - g for _, _, g, f in counted) / total if total else 0,
        "wait_ns": sum(waits) / len(waits) if waits else 0,
        "util": busy / window,
        "cpu_share": sum(waits) / (cpus * window),
    }


def overhead(rows):
    """What SELinux costs, in per cent of the vanilla kernel's throughput."""
    rates = {(r["kernel"], r["rooms"], r["messages"], r["cpus"]): r["value"] for r in rows}
    found = []
    for kernel, rooms, messages, cpus in rates:
        if kernel == "vanilla":
            vanilla = rates["vanilla", rooms, messages, cpus]
            selinux = rates["selinux", rooms, messages, cpus]
            value = 100 * (vanilla - selinux) / vanilla
            found.append({"rooms": rooms, "messages": messages, "cpus": cpus, "value": value})
    return found

"""Programs in the language: locks, decision caches, kernel paths, schedulers, workloads, probes."""

"""The two engines, and what they share: faults, counters, meters, random streams, results."""

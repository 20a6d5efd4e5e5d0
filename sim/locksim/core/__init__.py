"""Common base of the engines and the checker: memory before time 0, faults, places, results."""

"""What lies below the engines and the checker: memory before time 0, faults, places, results."""

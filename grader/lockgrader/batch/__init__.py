"""Many submissions: on this machine, or on a cluster."""

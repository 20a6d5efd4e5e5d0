"""Running checks: each in a process with limits, and what one finding changes for others."""

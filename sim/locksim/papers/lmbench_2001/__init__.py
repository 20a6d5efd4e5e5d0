"""The two lmbench tables of 2001: what access checks add to each row."""

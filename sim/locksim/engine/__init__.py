"""The two engines, and their common counters, meters and trace rows."""

"""SLOB on 80 CPUs with and without the dcache patches (Long, 2013)."""

"""The reference engine: SimPy drives the generators themselves."""

"""The fast engine: one numba loop over the linked bytecode."""

"""The memory models (SC, TSO, C11) and the rows that a state consists of."""

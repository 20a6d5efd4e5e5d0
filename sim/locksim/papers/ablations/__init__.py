"""Studies that take a mechanism away or look at it alone (docs/ABLATIONS.md, docs/LMBENCH.md)."""

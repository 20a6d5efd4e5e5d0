"""A counterexample: its steps, their words, and their replay on the reference semantics."""

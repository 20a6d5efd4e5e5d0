"""Counterexamples: their steps, their text, and their replay on the reference semantics."""

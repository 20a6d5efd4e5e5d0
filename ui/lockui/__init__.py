"""lockui: the output of every LockLab command: tables, JSON, errors, progress, HTML pages.

It is the lowest package and knows nothing about locks. ``suggest`` and ``findings`` need
the standard library alone; the rest needs Rich, Typer or Jinja.
"""

"""lockui: how every command of LockLab speaks: tables, JSON, errors, progress, HTML pages.

It stands below all other packages and knows nothing of locks. ``suggest`` and ``findings`` need
the standard library alone; the rest needs Rich, Typer or Jinja.
"""

"""Reports in the field's formats, from runs of any kind, and back from their text.

- :mod:`table`: one table of lock statistics, whatever measured them;
- :mod:`lockmeter`: that table as lockmeter printed it, and the reader of lockmeter's text;
- :mod:`lock_stat`, :mod:`perf_lock`: readers of Linux's ``/proc/lock_stat`` and of
  ``perf lock contention``;
- :mod:`identities`: what the columns of a table owe to one another, and which row breaks it;
- :mod:`calls`: simulated time by method and by caller, exactly; :mod:`kernprof` prints it;
- :mod:`awr`: shares of user, system and lock time; :mod:`lmbench`: its summary.
"""

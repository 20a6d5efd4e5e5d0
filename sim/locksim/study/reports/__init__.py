"""Reports in the formats of kernel tools: writers for any kind of run, and readers of text.

- :mod:`table`: one table of lock statistics, from any source;
- :mod:`lockmeter`: the writer and the reader of lockmeter's text;
- :mod:`lock_stat`, :mod:`perf_lock`: readers of Linux's ``/proc/lock_stat`` and of
  ``perf lock contention``;
- :mod:`identities`: equations between the columns of a table, and the rows that break them;
- :mod:`calls`: exact simulated time by method and by caller; :mod:`kernprof` prints it;
- :mod:`awr`: shares of user, system and lock time; :mod:`lmbench`: lmbench's summary.
"""

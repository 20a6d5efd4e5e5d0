"""Reports in the formats of kernel tools: writers for any kind of run, and readers of text.

- :mod:`table`: one table of lock statistics, from any source;
- :mod:`detect`: the formats that are read; :mod:`reading`: how each line finds its reader;
  :mod:`lines` undoes what mail did; :mod:`columns`: tables whose heading names the columns;
- :mod:`lockmeter`, :mod:`lock_stat`, :mod:`perf_lock`: written and read;
- :mod:`perf_report`, :mod:`klockstat`, :mod:`mutrace`, :mod:`c2c`: read;
- :mod:`identities`: equations between the columns of a table, and the rows that break them;
  :mod:`limits`: values that no machine can produce; :mod:`gain`: rows that can matter;
- :mod:`calls`: exact simulated time by method and by caller; :mod:`kernprof` prints it;
- :mod:`awr`: shares of user, system and lock time; :mod:`lmbench`: lmbench's summary.
"""

"""Texts in the three formats, made up for the tests: every feature of a format once."""

LOCKMETER = """\
System: Linux made-up 2.4.3 #1 SMP i686
Total counts

All (4) CPUs

Start time: Mon Jan  1 00:00:00 2001
End   time: Mon Jan  1 00:00:10 2001
Delta Time: 10.00 sec.

- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
SPINLOCKS         HOLD            WAIT
  UTIL  CON    MEAN(  MAX )   MEAN(  MAX )(% CPU)     TOTAL NOWAIT SPIN RJECT  NAME

       20.0%  2.0us(  90us)  4.0us(  80us)( 2.0%)   1000100 80.0% 20.0% 0.00%  *TOTAL*

 20.0% 20.0%  2.0us(  90us)  4.0us(  80us)( 2.0%)   1000000 80.0% 20.0%    0%  cache_lock
  8.0% 10.0%  2.0us(  50us)  4.0us(  70us)(0.40%)    400000 90.0% 10.0%    0%    lookup+0x40
 12.0% 26.7%  2.0us(  90us)  4.0us(  80us)( 1.6%)    600000 73.3% 26.7%    0%    insert+0x1c

    0% 25.0%                  10us(  20us)(0.00%)       100 75.0%    0% 25.0%  [0xc02a1b40]

- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
RWLOCK READS   HOLD    MAX  RDR BUSY PERIOD      WAIT
  UTIL  CON    MEAN   RDRS   MEAN(  MAX )   MEAN(  MAX )( %CPU)     TOTAL NOWAIT SPIN  NAME

  2.5%  1.0%   5.0us     3  6.0us(  71us)   20us( 600us)(0.03%)     50000 99.0%  1.0%  list_lock
        1.0%                                20us( 600us)(0.03%)     50000 99.0%  1.0%    scan+0x60

- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
RWLOCK WRITES     HOLD           WAIT (ALL)           WAIT (WW)
  UTIL  CON    MEAN(  MAX )   MEAN(  MAX )( %CPU)   MEAN(  MAX )     TOTAL NOWAIT SPIN(  WW )  NAME

0.10% 6.0%  10us( 30us)  50us( 100us)(0.01%)  40us( 90us)   1000 94.0% 4.0%( 2.0%)  list_lock
"""

LOCK_STAT = """\
lock_stat version 0.4
*WARNING* lock debugging disabled!! - possibly due to a lockdep warning
--------------------------------------------------------------------------
                  class name    con-bounces    contentions   waittime-min   waittime-max \
waittime-total   waittime-avg    acq-bounces   acquisitions   holdtime-min   holdtime-max \
holdtime-total   holdtime-avg
--------------------------------------------------------------------------

            &s->list_lock-W:            10             20           0.50           9.00 \
        60.00           3.00            100           1000           0.10          20.00 \
       500.00           0.50
            &s->list_lock-R:             0              0           0.00           0.00 \
         0.00           0.00            400           4000           0.10           5.00 \
       800.00           0.20
            ---------------
            &s->list_lock             12          [<00000000aabbccdd>] insert+0x1c/0x90
            &s->list_lock              8          [<00000000aabbccee>] remove+0x30/0x70
            ---------------
            &s->list_lock             20          [<00000000aabbccff>] insert+0x2c/0x90

..........................................................................

          &(&d->lock)->rlock:             1              2           1.00           2.00 \
         3.00           1.50             50            300           0.20           1.00 \
        90.00           0.30
"""

PERF = """\
 contended   total wait     max wait     avg wait         type   caller

       100      1.50 ms     30.00 us     15.00 us     spinlock   insert+0x1c
                        0xffffffff81000010  insert+0x1c
                        0xffffffff81000abc  do_syscall_64+0x3b
         4     20.00 us     12.00 us      5.00 us     rwlock:W   remove+0x30
         2      2.50 s       2.00 s       1.25 s        rwsem:R   scan+0x60

=== output for debug===

bad: 0, total: 106
"""

PERF_LOCKS = """\
 contended   total wait     max wait     avg wait            address   symbol

         2      1.95 us      1.77 us       975 ns   ffff9d5e852d3498   task_lock (mutex)
         1      1.18 us      1.18 us      1.18 us   ffff9d5e852d3538   &slab-512 (spinlock)
"""

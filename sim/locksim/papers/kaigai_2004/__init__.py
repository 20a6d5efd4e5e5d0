"""The access vector cache under a spinlock, an rwlock and RCU on 4 to 32 CPUs (Kohei, 2004)."""

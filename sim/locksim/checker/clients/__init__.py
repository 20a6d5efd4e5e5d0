"""The test clients: the threads that a lock or a decision cache is checked with."""

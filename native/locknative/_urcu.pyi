"""liburcu's memb flavour behind checks, as Python sees it (private: use locknative.urcu)."""

OK: int
NOT_REGISTERED: int
ALREADY_REGISTERED: int
NOT_READING: int
READING: int
TOO_DEEP: int
FORKED: int
NO_MEMORY: int
VERSION: str

def register() -> int: ...
def unregister() -> tuple[int, int]: ...
def read_lock() -> int: ...
def read_unlock() -> int: ...
def synchronize() -> int: ...

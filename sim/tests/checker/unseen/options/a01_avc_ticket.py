from locksim.lang import *
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.locks.ticket import TicketLock


class AvcTicket(AvcSpinlock):
    lock = part(TicketLock, padded=True)

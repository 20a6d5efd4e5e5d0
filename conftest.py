"""What every test needs."""

import signal

# A shell that starts the tests in the background lets them ignore Ctrl-C, and so would every
# program that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

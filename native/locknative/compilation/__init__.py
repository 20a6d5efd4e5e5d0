"""What is compiled: the command ``locklab-native``, and locks joined to its harness.

- ``toolchain``: the C compiler, the C sources, and the files that the build has installed.
- ``executable``: ``locklab-native`` as the build made it.
- ``harness``: the same command with other kernels.
- ``emitted``: locks of the language, printed as C and joined to the harness.
"""

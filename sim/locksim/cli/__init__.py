"""The subcommands of ``locklab`` that the simulator brings, one module each."""

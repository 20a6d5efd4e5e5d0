"""The subcommands on real cores; one module a subcommand."""

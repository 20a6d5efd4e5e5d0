"""The subcommands of lessons and of the learner's progress; nothing else prints."""

"""What a reader can try without installing: arguments in links, the playground, levels, drills."""

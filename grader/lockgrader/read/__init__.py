"""A submission on its way in: files, answers and scenarios, read as hostile."""

"""One step at a time: the walk and the graph behind the game of being the scheduler."""

"""The search over all states, and what is asked of the states and of the graph that they form."""

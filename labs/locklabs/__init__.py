"""The labs: what students receive, and what judges their answers."""

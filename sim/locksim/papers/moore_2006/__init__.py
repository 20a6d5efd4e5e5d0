"""What packet labels cost two hosts, and what their cache saves (Moore, 2006)."""

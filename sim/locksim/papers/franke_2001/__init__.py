"""Chatroom with and without SELinux on 1 to 8 CPUs (Franke, 2001)."""

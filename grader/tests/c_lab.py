"""A lab of one check, of C."""

LAB = """
format = 2
name = "c-part"
title = "The C part alone"
c = "avc_rcu.c"
interface = "avc"

[[check]]
name = "model"
title = "Right in turns"
kind = "c"
tool = "validate"
points = 10
"""

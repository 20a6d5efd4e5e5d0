"""Published curves of current machines, predicted from latencies alone (datasets/README.md).

sets         the curves: dataset, machine, program, placement
experiment   their simulation as experiments, with nothing fitted
"""

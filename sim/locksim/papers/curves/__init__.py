"""Published curves of current machines, predicted from latencies alone (datasets/README.md).

sets         the curves: dataset, machine, program, placement
experiment   their simulation as experiments, with nothing fitted
factors      the simulator beside formulas: geometric means of max(p/m, m/p)
"""

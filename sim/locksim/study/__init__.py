"""One simulation or many: replications, jobs, sampling, reports, traces, analytic models."""

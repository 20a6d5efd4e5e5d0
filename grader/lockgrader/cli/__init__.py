"""The grader's commands."""

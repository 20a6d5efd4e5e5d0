"""For a lab's author: the lab's own submissions, and the check of a lab before students see it."""

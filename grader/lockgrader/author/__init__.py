"""What a lab's author runs before students see it."""

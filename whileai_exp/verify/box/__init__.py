"""Programs that run inside the code sandbox. They are copied out and never import the package."""

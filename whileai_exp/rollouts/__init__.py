"""Rollouts: an agent plays tasks, an allocator says which next, an executor keeps them in flight."""

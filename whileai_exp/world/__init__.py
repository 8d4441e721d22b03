"""What tools answer: one stateful mock world per rollout, planned faults, and what right handling means."""

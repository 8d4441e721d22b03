"""What each knob changes: two values, and what can be seen to differ between them."""

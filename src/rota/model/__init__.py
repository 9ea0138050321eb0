"""Pure decisions: what should happen. No IO, no clock, no library."""

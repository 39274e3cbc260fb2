"""Models that run on this machine, in this process."""

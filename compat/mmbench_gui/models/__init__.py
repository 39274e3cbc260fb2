"""Models as configurations name them: copy an example, rename it, change what differs."""

"""The Memory Wiki: which pages there are, what stands on them, how they read and are found."""

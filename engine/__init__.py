"""Game types: pure rules without people, clocks, storage or network. See `engine/README.md`."""

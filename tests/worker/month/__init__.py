"""A month of many people and many games, told by a clock that the test moves."""

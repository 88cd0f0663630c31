"""What the service's tests stand on: a house with people in it, and the contract's eye."""

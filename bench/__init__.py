"""What Deskhand costs and how fast it is, measured on a stack of its own and beside two other ways to do the same work."""

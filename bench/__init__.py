"""What Deskhand costs and how fast it is, on a stack of its own and beside other ways of doing the same work."""

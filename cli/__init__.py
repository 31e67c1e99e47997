"""The command line of Deskhand and the stack that runs on one machine without docker."""

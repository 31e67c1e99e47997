"""What `deskhand doctor` looks at, one module per neighbour; each check returns findings and never raises."""

"""What workflows ask to be done: steps, the lifecycle, delivery, sweeps. They act; they decide nothing about order."""

"""Text as a reader would see it: the visible-text pass, invisible characters, and the forms detectors read."""

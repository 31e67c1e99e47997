"""The five steps of the pipeline, one module each: `execute` works, `route` decides, and neither knows the order."""

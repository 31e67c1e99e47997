"""Simulated deployments that measure what a certificate is worth, through the product's own certify, gate and cap
code."""

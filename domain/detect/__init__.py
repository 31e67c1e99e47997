"""Graded detectors for manipulation, spam and phishing: they inform, and only walls elsewhere hold."""

"""Readers of the team's own files: Markdown, text, HTML, PDF, DOCX, tables of questions and answers, site exports.

The bytes of a file meet their reader in a process of its own, as mail does (HW12).
"""

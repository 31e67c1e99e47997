"""The settings pages: what an administrator may change, each change with who, when, before and after (P112, P113)."""

"""Reading mail: from raw bytes to facts. Whatever the bytes are, the answer is a `ParsedMail` and never an
exception."""

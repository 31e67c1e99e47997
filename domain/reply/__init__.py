"""What goes out: whom a reply goes to, what it quotes, and the exact bytes of the mail."""

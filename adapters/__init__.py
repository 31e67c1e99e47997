"""The outside world behind Protocols: Postgres, models, mail transport, the parser's sandbox."""

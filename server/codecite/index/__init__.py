"""What the ledger is told of a parsed file: blocks under ids, the words they are found by, what to embed."""

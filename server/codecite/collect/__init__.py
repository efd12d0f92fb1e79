"""What changed? The walk over the work tree, git's ignore rules, decoding, and the comparison with the ledger."""

"""The command line: parse, ask the engine, print. No logic of retrieval or indexing lives here."""

"""The language server: parse, call the engine, convert. LSP types live here only."""

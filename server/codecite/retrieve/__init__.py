"""From a question to ranked blocks: understand the question, look it up in three ways, fuse, explain."""

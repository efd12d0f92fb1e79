"""From ranked blocks to an answer that can be trusted: evidence, abstention, anchors, words."""

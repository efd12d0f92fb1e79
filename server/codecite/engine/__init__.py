"""The engine: one process a workspace that owns the store, the services in it, and the channel to them."""

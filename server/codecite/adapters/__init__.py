"""One module per thing of the outside world: disk, git, stores, watchers, models."""

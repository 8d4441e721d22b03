"""The Hydra edge: from YAML and command-line tokens to a plan. Nothing past it sees a DictConfig."""

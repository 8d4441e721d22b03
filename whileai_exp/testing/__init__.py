"""For our tests and for the authors of plug-ins: models, servers, factories and contracts to test against."""

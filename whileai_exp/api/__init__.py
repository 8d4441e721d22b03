"""The library door: the calls of the seed documents, thin over the stages."""

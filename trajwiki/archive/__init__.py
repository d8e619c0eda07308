"""A space outside its database: lossless archives, Markdown vaults, PROV-JSON."""

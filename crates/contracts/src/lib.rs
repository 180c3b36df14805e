//! What a source file promises: contracts, fingerprints, the graph between them, bundles and comparison.

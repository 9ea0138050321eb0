"""What is measured. Each contender runs in a process of its own (`bench.child`), so that none inherits another's heap."""

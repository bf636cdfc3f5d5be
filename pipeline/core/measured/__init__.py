"""What a measured result is: columns, metrics, limits of theory. Standard library only: the kit takes it along."""

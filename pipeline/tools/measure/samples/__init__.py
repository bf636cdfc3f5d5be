"""Short programs that stand alone: the guide shows them, the kit measures with them, the tests run them."""

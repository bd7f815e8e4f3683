"""The files of the project itself, as gates look at them."""

"""What things are: values with no behaviour that touches the world."""

"""Items of memory and trace: what is read and written."""

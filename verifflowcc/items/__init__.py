"""One kind of item for memory and trace: front matter, fields, links, files."""

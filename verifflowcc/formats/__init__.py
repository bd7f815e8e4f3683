"""Pure parsers and writers of file formats; text in, values out."""

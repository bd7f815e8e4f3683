"""The report: a sprint or a project as a static site of plain files, made from committed content."""

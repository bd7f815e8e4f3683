"""Find what bears on a question: words, scores, links, and when to look again."""

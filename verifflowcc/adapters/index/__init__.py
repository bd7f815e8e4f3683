"""The derived index in `.memory/local/`: git-ignored, deletable at any moment, never written back."""

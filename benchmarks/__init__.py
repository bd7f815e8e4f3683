"""Figures of whole processes, side by side with a peer or with bare Python, in one run."""

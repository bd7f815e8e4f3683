"""What every use case begins with: the workspace, and documents."""

"""What vfcc asks of git."""

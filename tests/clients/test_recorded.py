"""What real clients do is recorded by `vfcc hook`, each event once and in order; what it answers reaches the model."""

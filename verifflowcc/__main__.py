"""`python -m verifflowcc` is `vfcc`."""

from verifflowcc.fast import main

if __name__ == "__main__":
    main()

"""`python -m graphmem` is the `graphmem` command."""

from graphmem.cli.main import main

if __name__ == "__main__":
    main()

"""`python -m medground`: the command line, for this interpreter."""

from medground.faces.cli.app import main

if __name__ == "__main__":
    main()

"""Prints a TOML file as JSON."""

import json
import sys
import tomllib

with open(sys.argv[1], "rb") as file:
    print(json.dumps(tomllib.load(file)))

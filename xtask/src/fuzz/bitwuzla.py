# Bitwuzla as a process that reads scripts and answers them. It is a library on PyPI; each script has a parser of its own.
import sys

import bitwuzla

script = []
for line in sys.stdin:
    if line.strip() != "(reset)":
        script.append(line)
    if line.startswith("(echo"):
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.TIME_LIMIT_PER, 1000)
        try:
            bitwuzla.Parser(bitwuzla.TermManager(), options).parse("".join(script), False, False)
        except Exception as error:
            print(error, flush=True)
        script = []

# Bitwuzla, a library on PyPI, as a command: milliseconds that a check may take, and the path of a script.
import sys
import time

import bitwuzla

start = time.monotonic()
options = bitwuzla.Options()
options.set(bitwuzla.Option.TIME_LIMIT_PER, int(sys.argv[1]))
try:
    bitwuzla.Parser(bitwuzla.TermManager(), options).parse(sys.argv[2], False, True)
except Exception as error:
    print("error:", error)
sys.stdout.flush()
print("; seconds", time.monotonic() - start)

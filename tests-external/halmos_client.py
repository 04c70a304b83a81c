#!/usr/bin/env python3
"""Has halmos check small contracts, with the solver command given as its solver.

Usage: halmos_client.py COMMAND [ARG...]     for example: halmos_client.py target/release/refrain smt

There is no compiler for Solidity here: the contracts are assembled below, in the layout that halmos expects of its
build tool, which is a stub. Every property has a known answer; every counterexample is put into the property.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

from eth_hash.auto import keccak

OPCODES = {
    "STOP": 0x00, "ADD": 0x01, "MUL": 0x02, "SUB": 0x03, "DIV": 0x04, "MOD": 0x06, "LT": 0x10, "GT": 0x11, "SLT": 0x12,
    "EQ": 0x14, "ISZERO": 0x15, "AND": 0x16, "OR": 0x17, "XOR": 0x18, "NOT": 0x19, "SHL": 0x1B, "SHR": 0x1C,
    "CALLDATALOAD": 0x35, "CODECOPY": 0x39, "MSTORE": 0x52, "SLOAD": 0x54, "SSTORE": 0x55, "JUMPI": 0x57,
    "JUMPDEST": 0x5B, "RETURN": 0xF3, "REVERT": 0xFD, "DUP1": 0x80, "DUP2": 0x81,
}

X, Y = [4, "CALLDATALOAD"], [36, "CALLDATALOAD"]
LIMIT = 2**256


def call(opcode, first, *rest):
    """The first operand is on top of the stack."""
    return [word for operand in reversed([first, *rest]) for word in operand] + [opcode]


def low(value):
    return call("AND", [2**64 - 1], value)


def byte(value):
    return call("AND", [255], value)


def square_is_not_1764(x, y):
    return x >= 1000 or x * x != 1764


def midpoint_is_above(x, y):
    return not x < y or (x + y) % LIMIT // 2 >= x


# Name, whether it holds, its condition in Python, and as code that leaves it on the stack.
PROPERTIES = [
    (
        "check_square(uint256,uint256)", False, square_is_not_1764,
        call("OR", call("ISZERO", call("LT", X, [1000])), call("ISZERO", call("EQ", call("MUL", X, X), [1764]))),
    ),
    (
        "check_sum_by_bits(uint256,uint256)", True, None,
        call("EQ", call("ADD", low(X), low(Y)), call("ADD", call("AND", low(X), low(Y)), call("OR", low(X), low(Y)))),
    ),
    (
        "check_midpoint(uint256,uint256)", False, midpoint_is_above,
        call("OR", call("ISZERO", call("LT", X, Y)), call("ISZERO", call("LT", call("SHR", [1], call("ADD", X, Y)), X))),
    ),
    (
        "check_careful_midpoint(uint256,uint256)", True, None,
        call(
            "OR",
            call("ISZERO", call("LT", low(X), low(Y))),
            call("LT", call("ADD", low(X), call("SHR", [1], call("SUB", low(Y), low(X)))), low(Y)),
        ),
    ),
    (
        "check_remainder(uint256,uint256)", True, None,
        call("OR", call("ISZERO", byte(Y)), call("LT", call("MOD", byte(X), byte(Y)), byte(Y))),
    ),
    (
        "check_storage(uint256,uint256)", True, None,
        [*call("SSTORE", [7], X), *call("SSTORE", [8], Y), *call("EQ", call("SLOAD", [7]), X)],
    ),
]

# An assertion that fails, as Solidity's compiler has it: Panic(1).
PANIC = [*call("MSTORE", [0], [0x4E487B71 << 224]), *call("MSTORE", [4], [1]), *call("REVERT", [0], [36])]


def selector(signature):
    return int.from_bytes(keccak(signature.encode())[:4], "big")


def assemble(program):
    """Numbers are pushed, `@label` is the address of `label:`, both in two bytes where they fit."""
    code, labels, uses = bytearray(), {}, []
    for word in program:
        if isinstance(word, int):
            size = max(1, (word.bit_length() + 7) // 8)
            code += bytes([0x5F + size]) + word.to_bytes(size, "big")
        elif word.startswith("@"):
            uses.append((len(code) + 1, word[1:]))
            code += bytes([0x61, 0, 0])
        elif word.endswith(":"):
            labels[word[:-1]] = len(code)
            code.append(OPCODES["JUMPDEST"])
        else:
            code.append(OPCODES[word])
    for place, label in uses:
        code[place : place + 2] = labels[label].to_bytes(2, "big")
    return bytes(code)


def contract():
    """Jumps by the selector; a property whose condition is zero panics."""
    program = []
    for signature, _, _, _ in PROPERTIES:
        program += [*call("EQ", call("SHR", [224], [0, "CALLDATALOAD"]), [selector(signature)]), "@" + signature, "JUMPI"]
    program += call("REVERT", [0], [0])
    for signature, _, _, condition in PROPERTIES:
        program += [signature + ":", *condition, "@passed", "JUMPI", *PANIC]
    program += ["passed:", "STOP"]
    return assemble(program)


def artefact(name):
    deployed = contract()
    size = len(deployed)
    loader = assemble([*call("CODECOPY", [0], [0xFF], [size]), *call("RETURN", [0], [size])])
    loader = loader.replace(b"\x60\xff", bytes([0x60, len(loader)]))
    inputs = [{"name": name, "type": "uint256", "internalType": "uint256"} for name in ("x", "y")]
    return {
        "abi": [
            {
                "type": "function", "name": signature.split("(")[0], "inputs": inputs, "outputs": [],
                "stateMutability": "nonpayable",
            }
            for signature, _, _, _ in PROPERTIES
        ],
        "bytecode": {"object": "0x" + (loader + deployed).hex(), "sourceMap": "", "linkReferences": {}},
        "deployedBytecode": {"object": "0x" + deployed.hex(), "sourceMap": "", "linkReferences": {}},
        "methodIdentifiers": {signature: f"{selector(signature):08x}" for signature, _, _, _ in PROPERTIES},
        "metadata": {"compiler": {"version": "0.8.30"}, "output": {"devdoc": {"methods": {}}}},
        "ast": {
            "absolutePath": f"src/{name}.sol",
            "nodeType": "SourceUnit",
            "nodes": [
                {"nodeType": "ContractDefinition", "name": name, "contractKind": "contract", "nodes": [], "abstract": False}
            ],
        },
        "id": 0,
    }


# What halmos says of a property.
PASSED, COUNTEREXAMPLE = 0, 1


def expect(condition, message):
    """Unlike `assert`, stays under `python -O`."""
    if not condition:
        sys.exit(f"FAILED {message}")


def counterexample(said, signature):
    """The values that halmos prints before the name of the property; what it leaves out may be anything."""
    [before] = re.findall(r"Counterexample:((?:\s*p_\w+ = \w+)*)\s*\[FAIL\] " + re.escape(signature), said)
    values = dict(re.findall(r"p_([xy])_\w+ = (\w+)", before))
    return [int(values.get(name, "0"), 16) for name in "xy"]


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as root:
        build = os.path.join(root, "out", "Properties.sol")
        os.makedirs(build)
        with open(os.path.join(build, "Properties.json"), "w", encoding="utf8") as file:
            json.dump(artefact("Properties"), file)
        forge = os.path.join(root, "forge")
        with open(forge, "w", encoding="utf8") as file:
            file.write("#!/bin/sh\nexit 0\n")
        os.chmod(forge, 0o755)
        halmos = [os.path.join(os.path.dirname(sys.executable), "halmos"), "--root", root, "--no-status"]
        halmos += ["--solver-command", shlex.join(command), "--solver-timeout-assertion", "60s"]
        halmos += ["--json-output", os.path.join(root, "results.json"), "--cache-solver"]
        path = root + os.pathsep + os.environ["PATH"]
        run = subprocess.run(halmos, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=300)
        said = re.sub(r"\x1b\[\d*m", "", run.stdout + run.stderr)
        print(said)
        with open(os.path.join(root, "results.json"), encoding="utf8") as file:
            [results] = json.load(file)["test_results"].values()
    found = {result["name"]: result for result in results}
    for signature, holds, condition, _ in PROPERTIES:
        status = found[signature]["exitcode"]
        expect(status == (PASSED if holds else COUNTEREXAMPLE), f"{signature} ends with {status}")
        if not holds:
            x, y = counterexample(said, signature)
            expect(not condition(x, y), f"{signature} holds for {x} and {y}")
    print(f"halmos: {len(PROPERTIES)} passed, 0 failed")


if __name__ == "__main__":
    main()

"""Help and usage errors."""

from harness import DONE, FILES, USAGE, expect

COMMANDS = ("compile", "check", "fmt", "run", "bench", "inspect", "dis", "asm", "explain", "profile", "cache",
            "completion", "version", "help", "import")


def test_help_lists_every_command(t):
    for words in (["help"], ["--help"], ["-h"]):
        result = t.run(*words, shows=[*COMMANDS, "Exit codes:", "70"])
        expect(not result.err, "help goes to stdout")


def test_exit_codes_are_in_the_help(t):
    text = t.run("help").text
    for code in (0, 1, 2, 3, 4, 5, 70):
        expect(f"\n  {code:2d}  " in text, f"exit code {code} is not in the help")


def test_help_of_each_command(t):
    for command in COMMANDS:
        first = t.run("help", command, shows=f"Usage: tirb {command}").text
        for flag in ("--help", "-h"):
            expect(t.run(command, flag).text == first, f"{command} {flag} differs from help {command}")


def test_help_of_run_names_every_option(t):
    t.run("help", "run", shows=["-f", "--function", "-o", "--expect", "--rtol", "--atol", "--fuel", "--timeout",
                                "--max-memory", "--threads", "--stats", "--json", "--fp", "--isa", "--no-cache"])


def test_no_command(t):
    t.run(code=USAGE, says="Usage: tirb COMMAND")


def test_unknown_command(t):
    t.run("rnu", code=USAGE, says="did you mean 'run'")
    t.run("frobnicate", code=USAGE, says="no command 'frobnicate'")
    t.run("help", "complie", code=USAGE, says="did you mean 'compile'")
    t.run("--frobnicate", code=USAGE)


def test_unknown_option(t):
    t.run("run", "x.tirb", "--fule", "3", code=USAGE, says="did you mean --fuel")
    t.run("compile", "x.py", "-Z", code=USAGE)
    t.run("check", "x.py", "--json", code=USAGE)


def test_option_forms(t):
    t.run("run", "x.tirb", "--timeout", code=USAGE, says="timeout")
    t.run("run", "x.tirb", "--json=3", code=USAGE, says="json")


def test_missing_operands(t):
    for command in ("compile", "check", "run", "inspect", "dis", "asm"):
        t.run(command, code=USAGE, says="FILE")
    t.run("compile", "a.py", "b.py", code=USAGE, says="b.py")
    t.run("version", "x", code=USAGE)


def test_missing_files(t):
    for command in ("compile", "check", "run", "inspect", "dis", "asm"):
        t.run(command, "nowhere.py", code=FILES, says=["nowhere.py", "No such file"], lines=1)
    t.run("check", ".", code=FILES, lines=1)


def test_version(t):
    for words in (["version"], ["--version"], ["-V"]):
        t.run(*words, shows=["tirb 0.", "isa: generic", "dispatch:", "bundle format:"])


def test_bad_numbers(t):
    for option, values in {
        "--fuel": ["0", "-1", "x", "1T", "99999999999999999999", "1KK", "1.0005k", ""],
        "--max-memory": ["0", "-5", "1.5", "1.M", "0.0001K", "x"],
        "--timeout": ["0", "-1", "x", "nan", "1e30"],
        "--threads": ["0", "-2", "x", "100000"],
        "--rtol": ["-1", "x", "nan"],
        "--atol": ["-1", "inf"],
        "--fp": ["loose"],
        "--isa": ["mmx"],
        "--compile-timeout": ["0", "-1", "x"],
        "--compile-memory": ["0", "x", "1.5"],
        "--compile-work": ["0", "-3", "x"],
    }.items():
        t.write("k.tirs", '.fp precise\n.function "f" public\n.scalars 1\n    ret.void\n.end\n')
        t.run("asm", "k.tirs")
        of_source = option == "--fp" or option.startswith("--compile")
        if of_source:
            t.write("k.py", "")
        for value in values:
            t.run("run", "k.py" if of_source else "k.tirb", option, value, code=USAGE, says=option.strip("-"))


def test_isa_from_the_environment(t):
    t.write("k.tirs", '.fp precise\n.function "f" public\n.scalars 1\n    ret.void\n.end\n')
    t.run("asm", "k.tirs")
    t.run("run", "k.tirb", "--stats", shows="isa: generic", env={"TIRB_ISA": "generic"})
    t.run("run", "k.tirb", code=USAGE, says=["TIRB_ISA", "mmx"], env={"TIRB_ISA": "mmx"})
    t.run("run", "k.tirb", "--isa", "generic", "--stats", shows="isa: generic", env={"TIRB_ISA": "mmx"}, code=DONE)

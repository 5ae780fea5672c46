"""`tirb completion` and the manual page: every command and every option is there, and bash agrees."""

import re
import shutil
import subprocess

from harness import USAGE, Failed, expect


def commands(t):
    listed = t.run("help").text.split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def options(t, command):
    return re.findall(r"^  (?:-\w,|   ) --([\w-]+)", t.run("help", command).text, flags=re.M)


def test_manual_has_everything(t):
    page = t.run("help", "--man").text.replace("\\-", "-")
    for command in commands(t):
        expect(f".SS tirb {command}" in page, command)
        section = page.split(f".SS tirb {command}")[1].split(".SS ")[0]
        for option in options(t, command):
            expect(f"--{option}" in section, f"{command} --{option}")


def test_completions_have_everything(t):
    known = {command: options(t, command) for command in commands(t)}
    for shell in ("bash", "zsh", "fish"):
        text = t.run("completion", shell).text
        for command, of_command in known.items():
            expect(command in text, f"{shell}: {command}")
            for option in of_command:
                expect(f"--{option}" in text or f"-l {option}" in text, f"{shell}: {command} --{option}")
        expect("avx512" in text and "strict" in text, shell)


def test_shells_read_them(t):
    for shell in ("bash", "zsh", "fish"):
        if shutil.which(shell):
            text = t.run("completion", shell).out
            done = subprocess.run([shell, "-n"] if shell != "fish" else [shell, "--no-execute"], input=text, capture_output=True)
            if done.returncode != 0:
                raise Failed(f"{shell} does not read its completion: {done.stderr.decode()}")


def complete(t, *words):
    """What bash offers for the last word."""
    script = t.run("completion", "bash").text
    quoted = " ".join(f"'{w}'" for w in ("tirb", *words))
    script += f'\nCOMP_WORDS=({quoted})\nCOMP_CWORD={len(words)}\n_tirb\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
    return subprocess.run(["bash"], input=script.encode(), capture_output=True, cwd=t.folder).stdout.decode().split()


def test_bash_completes(t):
    t.write("kernel.py", "")
    expect(complete(t, "comp") == ["compile", "completion"], complete(t, "comp"))
    expect(complete(t, "run", "--isa", "avx") == ["avx2", "avx512"], complete(t, "run", "--isa", "avx"))
    expect(complete(t, "run", "--exp") == ["--expect"], complete(t, "run", "--exp"))
    expect(complete(t, "bench", "ker") == ["kernel.py"], complete(t, "bench", "ker"))
    expect(complete(t, "run", "kernel.py", "@ker") == ["@kernel.py"], complete(t, "run", "kernel.py", "@ker"))
    expect(complete(t, "help", "ins") == ["inspect"], complete(t, "help", "ins"))


def test_unknown_shell(t):
    t.run("completion", "bas", code=USAGE, says="did you mean 'bash'?")
    t.run("completion", code=USAGE, says="SHELL")

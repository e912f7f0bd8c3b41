# Runs a command on a terminal of its own and plays the person in front of it: waits for a text,
# then types keys or sends a signal. Prints what was seen, the exit code, and whether the terminal
# was given back as it was.

import fcntl, json, os, pty, select, signal, struct, subprocess, sys, termios, time

play = json.loads(sys.argv[1])
master, slave = pty.openpty()
size = struct.pack("HHHH", play["rows"], play["columns"], 0, 0)
fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
before = termios.tcgetattr(slave)


def own_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


child = subprocess.Popen(
    play["args"], stdin=slave, stdout=slave, stderr=slave,
    cwd=play["cwd"], env=play["env"], preexec_fn=own_terminal,
)
seen = b""
step_from = 0
steps = list(play["steps"])
# For a program that hangs; less than the time limit of a test, so that it can still report.
deadline = time.monotonic() + play.get("seconds", 100)
while time.monotonic() < deadline:
    ready, _, _ = select.select([master], [], [], 0.02)
    if ready:
        seen += os.read(master, 65536)
    elif child.poll() is not None:
        break
    if steps and steps[0]["wait"].encode() in seen[step_from:]:
        step = steps.pop(0)
        step_from = len(seen)
        if "send" in step:
            os.write(master, step["send"].encode())
        if "signal" in step:
            os.kill(child.pid, getattr(signal, step["signal"]))
if child.poll() is None:
    child.kill()
print(json.dumps({
    "seen": seen.decode("utf8", "replace"),
    "exitCode": child.wait(),
    "isGivenBack": termios.tcgetattr(slave) == before,
    "stepsLeft": len(steps),
}))

"""Tasks in worker processes, so that one that ends its process costs itself and not the run.

TVM ends the process on some programs. A worker announces what it is about to do; when it dies, what it announced last is
the cause that is reported, and a fresh worker goes on with the next task.
"""

import multiprocessing
import multiprocessing.connection
import os
import signal
import time

# fork shares what the parent has imported; nobody calls TVM there, so no thread of its is lost.
CONTEXT = multiprocessing.get_context("fork")


class Ended:
    """What comes in place of a result when the process of a task ended, or was ended because it took too long. `phase`:
    what it had announced last."""

    def __init__(self, cause, phase):
        self.cause, self.phase = cause, phase


class Worker:
    def __init__(self, work):
        self.pipe, other = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=serve, args=(work, other), daemon=True)
        self.process.start()
        other.close()
        self.task = self.started = self.phase = None

    def begin(self, task):
        self.task, self.started, self.phase = task, time.monotonic(), None
        self.pipe.send(task)

    def overdue(self, patience):
        return time.monotonic() - self.started > patience

    def end(self):
        self.process.kill()
        self.process.join()
        self.pipe.close()


def cause_of(status):
    return f"the process ended {f'by {signal.Signals(-status).name}' if status < 0 else f'with status {status}'}"


def serve(work, pipe):
    """In the worker: does tasks until the pipe closes. What TVM writes before it ends the process goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)

    def announce(phase):
        pipe.send(("phase", phase))

    try:
        while True:
            task = pipe.recv()
            for result in work(task, announce):
                pipe.send(("result", result))
            pipe.send(("done", None))
    except EOFError:
        return


def run(tasks, work, count, patience):
    """Yields (task, result) for each result of `work(task, announce)`, a generator that runs in one of `count` workers, as
    they come. Where the worker ended, or was silent for more than `patience` seconds, the last result is an Ended. The
    caller may put further tasks into the deque `tasks` meanwhile."""
    busy = {}

    def feed(worker):
        if tasks:
            worker = worker or Worker(work)
            worker.begin(tasks.popleft())
            busy[worker.pipe] = worker
        elif worker:
            worker.end()

    for _ in range(min(count, len(tasks))):
        feed(None)
    while busy:
        for pipe in multiprocessing.connection.wait(busy, timeout=1):
            worker = busy[pipe]
            try:
                kind, value = pipe.recv()
            except (EOFError, ConnectionResetError):
                del busy[pipe]
                worker.process.join()
                yield worker.task, Ended(cause_of(worker.process.exitcode), worker.phase)
                worker.end()
                feed(None)
                continue
            worker.started = time.monotonic()
            if kind == "phase":
                worker.phase = value
            elif kind == "result":
                yield worker.task, value
            else:
                del busy[pipe]
                feed(worker)
        for worker in [worker for worker in busy.values() if worker.overdue(patience)]:
            del busy[worker.pipe]
            worker.end()
            yield worker.task, Ended(f"no end after {patience} s", worker.phase)
            feed(None)

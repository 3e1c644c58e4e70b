# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs pieces of work on workers: this machine's GPUs, Ray's or Slurm's.

`sluice tune --project` starts it. A piece is a folder of `sluice tune --export`;
to run it is `sh FOLDER/run.sh`, and what comes out is FOLDER/results.jsonl. Each
line of standard input and output is a JSON object.

in   {"engine": "local", "kinds": [{"name": "sm_90", "count": 2,
      "devices": ["0", "1"], "slurm": [], "ray": ""}]}       the first line
     {"piece": "a.0", "folder": "/...", "kind": "sm_90", "limit": 600,
      "first": 12.5, "best": "/..."}
out  {"event": "workers", "kinds": {"sm_90": 2}}              it is ready
     {"event": "error", "why": ...}                          it will not be
     {"event": "started", "piece": "a.0", "where": "GPU 0"}
     {"event": "again", "piece": "a.0", "where": ..., "why": ...}
     {"event": "ended" or "failed", "piece": "a.0", "seconds": 1.5, "why": ""}
     {"event": "retired", "where": "GPU 0", "why": ...}

Of the pieces that wait, that with the largest "first" is run first. "best" is a
file of lines that the runs of several pieces tell each other; where they do not
see it, it travels as FOLDER/best.

A piece that fails is run once more, by another worker where there is one, and
goes on behind what it has measured. When the input ends, all ends.
"""

import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

# A worker that has failed so often in a row is given nothing more.
STRIKES = 3
# Says where it runs, and that it ended by itself. With one queue a context is made
# in half the time, of which the driver makes one after the other on all GPUs. Kernels
# that wait for each other may need more: second tries have what the program has, and
# so have all pieces of a program that needed one.
RUN = """
[ "$2" = one-queue ] && export CUDA_DEVICE_MAX_CONNECTIONS="${CUDA_DEVICE_MAX_CONNECTIONS:-1}"
echo "sluice-worker ${SLURMD_NODENAME:-$(uname -n)}${CUDA_VISIBLE_DEVICES:+ GPU $CUDA_VISIBLE_DEVICES}"
sh "$1/run.sh" > "$1/output.txt" 2>&1
echo "sluice-ended $?"
"""

ending = threading.Event()
say_lock = threading.Lock()


def say(event, **values):
    with say_lock:
        print(json.dumps({"event": event, **values}), flush=True)


def size(path):
    return path.stat().st_size if path.exists() else 0


class Piece:
    def __init__(self, line):
        self.name, self.kind = line["piece"], line["kind"]
        self.program = self.name.split("#")[0]  # of a project: PROGRAM#N
        self.folder, self.limit = Path(line["folder"]), line["limit"]
        self.first, self.best = line.get("first", 0), line.get("best")
        self.tries, self.tried = 0, None
        self.mode = "one-queue"
        self.avoid = None  # the node, or this pool's worker, where it failed
        self.begin = time.monotonic()

    def started(self, where):
        self.begin = time.monotonic()
        say("started", piece=self.name, where=where)

    def last_tried(self):
        """Who was being tried when the run ended, as its line has it."""
        path = self.folder / "results.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        complete = [line for line in lines if line.endswith("}")]
        if complete and '"event": "trying"' in complete[-1]:
            return json.loads(complete[-1][complete[-1].rfind('{"event"') :])
        return None

    def write(self, **line):
        with open(self.folder / "results.jsonl", "a") as file:
            file.write("\n" + json.dumps(line) + "\n")

    def forgive(self):
        """Nobody is to blame for the first end: a worker can be lost."""
        self.tried = self.last_tried()
        if self.tried:
            self.write(event="timing", kernel=self.tried["kernel"], launch=-1)

    def blame(self):
        """Who was being tried at both ends is not tried a third time."""
        tried = self.last_tried()
        if tried and tried == self.tried:
            tried.update(event="measured", ms=[], error="two workers did not survive it")
            self.write(**tried)


def watch(command, environment, limit, started, is_ending=lambda: False):
    """Runs RUN by a command. The program's status, or why there is none."""
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True)
    os.set_blocking(process.stdout.fileno(), False)
    text, begin, reason = "", None, None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if selector.select(timeout=0.2):
                data = os.read(process.stdout.fileno(), 65536)
                if not data:
                    break
                text += data.decode(errors="replace")
            if begin is None and "sluice-worker " in text and "\n" in text:
                begin = time.monotonic()
                where = text.split("sluice-worker ", 1)[1].split("\n")[0]
                started(where)
            if begin is not None and time.monotonic() - begin > limit:
                reason = f"it hung: no end after {limit:g} s"
            if is_ending():
                reason = "interrupted"
            # What it started may have the output still, as a killed worker's.
            if reason or process.poll() is not None and not selector.select(timeout=0):
                break
    for sign, patience in [(signal.SIGTERM, 5), (signal.SIGKILL, 5)]:
        try:
            os.killpg(process.pid, sign)
            process.wait(patience)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
    process.stdout.close()
    status = process.wait()
    if reason:
        return reason
    if "sluice-ended " not in text:
        said = [l for l in text.splitlines() if not l.startswith("sluice-worker ")]
        ended = f"signal {-status}" if status < 0 else f"status {status}"
        return f"the worker died ({ended})" + "".join(": " + l for l in said[-1:])
    return text.rsplit("sluice-ended ", 1)[1].split()[0]


def judge(outcome, folder, before):
    """None if the program came to its end, whatever its status says."""
    if not outcome.isdigit():
        return outcome
    path = folder / "results.jsonl"
    new = path.read_bytes()[before:] if path.exists() else b""
    if outcome == "0" or b'"event": "launches"' in new:
        return None
    output = folder / "output.txt"
    said = output.read_text(errors="replace").strip() if output.exists() else ""
    return f"the program ended with status {outcome}: {said[-300:] or 'it said nothing'}"


class Local:
    """A worker is a GPU of this machine."""

    keeps_workers = True

    def workers(self, kind):
        return kind["devices"][: kind["count"] or None]

    def run(self, piece, kind, worker):
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": worker}
        return watch(["sh", "-c", RUN, "sh", str(piece.folder), piece.mode], environment,
                     piece.limit, lambda where: piece.started(f"GPU {worker}"), ending.is_set)


class Slurm:
    """A worker is a place in Slurm's queue; folders are seen by all nodes."""

    keeps_workers = False

    def __init__(self):
        nodes = subprocess.run(["sinfo", "-h", "-N", "-o", "%N"], capture_output=True,
                               text=True)
        if nodes.returncode:
            raise RuntimeError("sinfo says: " + nodes.stderr.strip())
        self.nodes = set(nodes.stdout.split())

    def workers(self, kind):
        return [f"place {i}" for i in range(kind["count"] or len(self.nodes))]

    def run(self, piece, kind, worker):
        name = f"sluice-{os.getpid()}-{piece.name}"
        command = ["srun", "--quiet", "--nodes=1", "--ntasks=1", "--job-name=" + name,
                   f"--time={int(piece.limit // 60) + 2}"]
        command += kind["slurm"] or ["--gres=gpu:1"]
        if piece.avoid and self.nodes - {piece.avoid}:
            command.append("--exclude=" + piece.avoid)
        where = []
        def started(text):
            where.append(text.split()[0])
            piece.started(text)
        outcome = watch(command + ["sh", "-c", RUN, "sh", str(piece.folder), piece.mode], None,
                        piece.limit, started, ending.is_set)
        if not outcome.isdigit():
            subprocess.run(["scancel", "--name=" + name], capture_output=True)
            piece.avoid = where[0] if where else None
        return outcome


class Ray:
    """A worker is a place in Ray's queue. Folders travel: none are shared."""

    keeps_workers = False

    def __init__(self):
        try:
            import ray
        except ImportError:
            raise RuntimeError("python3 has no ray: pip install ray") from None
        self.ray = ray
        try:
            # Ray itself would try for minutes.
            host, _, port = os.environ.get("RAY_ADDRESS", "").rpartition(":")
            if host and port.isdigit() and "/" not in host:
                socket.create_connection((host, int(port)), timeout=10).close()
            ray.init(address="auto", log_to_driver=False, logging_level="ERROR")
        except OSError as error:
            raise RuntimeError(f"no Ray cluster answers: {error}") from None
        self.board = ray.remote(num_cpus=0)(RayBoard).remote()
        self.waiting = {}
        threading.Thread(target=self.read_board, daemon=True).start()

    def workers(self, kind):
        count = kind["count"] or int(self.ray.cluster_resources().get("GPU", 0))
        return [f"place {i}" for i in range(count)]

    def read_board(self):
        while not ending.is_set():
            for name, where in self.ray.get(self.board.take.remote()):
                if name in self.waiting:
                    self.waiting[name].started(where)
            time.sleep(0.3)

    def run(self, piece, kind, worker):
        ray = self.ray
        options = {"num_cpus": 1, "num_gpus": 1, "max_retries": 0}
        if kind["ray"]:
            options["accelerator_type"] = kind["ray"]
        self.waiting[piece.name] = piece
        known = b""
        if piece.best and os.path.exists(piece.best):
            known = Path(piece.best).read_bytes()
            (piece.folder / "best").write_bytes(known)
        task = ray.remote(**options)(run_on_ray).remote(
            pack(piece.folder), piece.name, piece.mode, piece.limit, self.board)
        try:
            while not ray.wait([task], timeout=0.5)[0]:
                if ending.is_set():
                    ray.cancel(task, force=True)
                    return "interrupted"
            outcome, files = ray.get(task)
        except ray.exceptions.RayError as error:
            return "the worker died: " + str(error).strip().splitlines()[0]
        finally:
            self.waiting.pop(piece.name, None)
        for name, data in files.items():
            (piece.folder / name).write_bytes(data)
        if piece.best and files.get("best", b"")[len(known) :]:
            with open(piece.best, "ab") as file:
                file.write(files["best"][len(known) :])
        return outcome


class RayBoard:
    """Tells the driver what has begun where."""

    def __init__(self):
        self.begun = []

    def put(self, name, where):
        self.begun.append((name, where))

    def take(self):
        begun, self.begun = self.begun, []
        return begun


def pack(folder):
    import io
    import tarfile
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.add(folder, arcname=".")
    return buffer.getvalue()


def run_on_ray(packed, name, mode, limit, board):
    """On the worker: its results, whatever became of the program."""
    import io
    import tarfile
    with tempfile.TemporaryDirectory(prefix="sluice-piece") as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            tar.extractall(folder)
        outcome = watch(["sh", "-c", RUN, "sh", folder, mode], None, limit,
                        lambda where: board.put.remote(name, where))
        paths = [Path(folder) / name for name in ["results.jsonl", "output.txt", "best"]]
        return outcome, {p.name: p.read_bytes() for p in paths if p.exists()}


class Pool:
    def __init__(self, engine, kinds):
        self.engine, self.change, self.busy = engine, threading.Condition(), 0
        self.many_queues = set()  # programs
        self.queues = {kind["name"]: [] for kind in kinds}
        self.alive = {kind["name"]: engine.workers(kind) for kind in kinds}
        say("workers", kinds={name: len(all) for name, all in self.alive.items()})
        for kind in kinds:
            for worker in list(self.alive[kind["name"]]):
                threading.Thread(target=self.work, args=(kind, worker), daemon=True).start()

    def add(self, piece):
        with self.change:
            if self.alive[piece.kind]:
                self.queues[piece.kind].append(piece)
                self.change.notify_all()
                return
        self.fail(piece, "no worker is left")

    def take(self, kind, worker):
        """The next piece, but not one that failed here and others may try."""
        queue, alive = self.queues[kind], self.alive[kind]
        with self.change:
            while True:
                for piece in sorted(queue, key=lambda p: -p.first):
                    if piece.avoid != worker or len(alive) == 1:
                        queue.remove(piece)
                        return piece
                self.change.wait()

    def work(self, kind, worker):
        strikes = 0
        while strikes < STRIKES:
            piece = self.take(kind["name"], worker)
            why = self.run(piece, kind, worker)
            if ending.is_set():
                return
            strikes = strikes + 1 if why and self.engine.keeps_workers else 0
            piece.tries += 1
            if not why:
                if piece.tries > 1:
                    self.many_queues.add(piece.program)
                say("ended", piece=piece.name, why="",
                    seconds=round(time.monotonic() - piece.begin, 3))
            elif piece.tries < 2:
                say("again", piece=piece.name, where=worker, why=why)
                piece.forgive()
                if self.engine.keeps_workers:
                    piece.avoid = worker
                self.add(piece)
            else:
                piece.blame()
                self.fail(piece, why)
        self.retire(kind["name"], worker)

    def run(self, piece, kind, worker):
        before = size(piece.folder / "results.jsonl")
        if piece.tries or piece.program in self.many_queues:
            piece.mode = "as-it-is"
        with self.change:
            self.busy += 1
        try:
            outcome = self.engine.run(piece, kind, worker)
        except OSError as error:
            outcome = str(error)
        with self.change:
            self.busy -= 1
        return judge(outcome, piece.folder, before)

    def fail(self, piece, why):
        say("failed", piece=piece.name, why=why,
            seconds=round(time.monotonic() - piece.begin, 3))

    def retire(self, kind, worker):
        say("retired", where=f"GPU {worker}", why=f"{STRIKES} pieces in a row failed there")
        with self.change:
            self.alive[kind].remove(worker)
            lost = [] if self.alive[kind] else self.queues[kind][:]
            if lost:
                self.queues[kind].clear()
            self.change.notify_all()
        for piece in lost:
            self.fail(piece, "no worker is left")


def main():
    parent = os.getppid()
    # Ctrl-C is for `sluice tune`, which then closes our input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    first = json.loads(sys.stdin.readline())
    try:
        engine = {"local": Local, "ray": Ray, "slurm": Slurm}[first["engine"]]()
        pool = Pool(engine, first["kinds"])
    except (RuntimeError, OSError) as error:
        say("error", why=str(error))
        return
    for line in sys.stdin:
        pool.add(Piece(json.loads(line)))
    ending.set()
    deadline = time.monotonic() + 12  # what runs is killed, and its results stay
    while pool.busy and time.monotonic() < deadline:
        time.sleep(0.1)
    if os.getppid() != parent:  # it was killed, and nobody reads them
        shutil.rmtree(Path(__file__).parent, ignore_errors=True)


if __name__ == "__main__":
    main()

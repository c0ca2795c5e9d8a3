"""Workers that are actors of a Ray cluster, on this machine or on many.

An actor holds the models it has loaded until the work is done. Ray starts it again, somewhere, when
it or its machine dies. Nothing is installed on the machines: each needs the same isogloss. Nobody
is told that Ray is in use (its usage statistics are off).
"""

import os
import secrets
import socket
import time
from collections.abc import Iterator, MutableMapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from threading import get_native_id
from typing import Any

from isogloss.errors import InputError, MissingExtraError, WorkerError
from isogloss.model import CORES, usable_cores
from isogloss.runtime import Device, Runtime
from isogloss.scale.crew import Crew, Task
from isogloss.scale.life import sign_of
from isogloss.scale.watch import Patience

LOCAL = "local"
"""The address of a cluster of this machine alone, which is started and stopped with the work."""


@contextmanager
def ray_crew(address: str, runtime: Runtime | None = None) -> Iterator[Crew]:
    """A worker for every GPU of the cluster, or for so many cores each, as the runtime says."""
    runtime = runtime or Runtime()
    bring_token(address, os.environ)
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        _connect(ray, address)
    try:
        places = _places(ray, runtime.device, runtime.worker_cores)
        with Crew(places, Patience.of(runtime), runtime.notice) as crew:
            yield crew
    finally:
        if ours:
            ray.shutdown()


_MODE, _TOKEN, _TOKEN_PATH = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"


def bring_token(address: str, environment: MutableMapping[str, str]) -> None:
    """Let Ray show the token that there is, unless its mode was chosen; before it is imported.

    A head that Ray starts where a token lies asks for it, but nobody brings it without being told.
    A cluster of this machine alone has one of its own, or Ray would leave one in the home folder,
    and every later head would ask for that.
    """
    if _MODE in environment:
        return
    lying = Path(environment.get(_TOKEN_PATH) or Path.home() / ".ray" / "auth_token").is_file()
    if address == LOCAL and not lying:
        environment.setdefault(_TOKEN, secrets.token_hex(32))
    if lying or _TOKEN in environment:
        environment[_MODE] = "token"


def _ray() -> Any:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # A future default of Ray's, which it otherwise warns of wherever an actor needs no GPU.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise MissingExtraError("a cluster needs Ray", "scale") from None
    return ray


def _connect(ray: Any, address: str) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": True}
    here = {"num_cpus": usable_cores(), "include_dashboard": False} if address == LOCAL else {}
    try:
        _knock(address)
        ray.init(address=address, **here, **quiet)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise WorkerError(
            f"there is no cluster at {address!r} that lets us in ({reason}); start one with 'ray "
            "start --head' and give its address (one with authentication needs its token here "
            "too, and RAY_AUTH_MODE=token), or use 'local'"
        ) from error


_ANSWER = 10.0  # seconds in which a cluster ought to answer


def _knock(address: str) -> None:
    """Learn at once that nobody is at an address, which Ray tries for minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon:
        if not port.isdecimal():
            raise ValueError("an address is HOST:PORT")
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER).close()


@dataclass(frozen=True, slots=True)
class _Room:
    """Room for workers on the machines that are there at the moment."""

    ray: Any
    gpu: bool
    cores: int

    def count(self) -> int:
        """One for each GPU, or for so many cores of a machine."""
        if self.gpu:
            return sum(_resources(self.ray, "GPU"))
        return sum(count // self.cores for count in _resources(self.ray, "CPU"))

    def worker(self) -> "RayWorker":
        """An actor that Ray puts where there is room."""
        return RayWorker(self.ray, self.gpu, self.cores)


def _places(ray: Any, device: Device, cores: int) -> _Room:
    """Where workers have room; an error if nowhere."""
    gpus = sum(_resources(ray, "GPU"))
    if device == "cuda" and not gpus:
        raise InputError("no machine of the cluster has a GPU; choose the device cpu or auto")
    room = _Room(ray, device != "cpu" and gpus > 0, cores)
    if not room.count():
        raise InputError(f"no machine of the cluster has {cores} cores for a worker")
    return room


def _resources(ray: Any, kind: str) -> list[int]:
    """How much of it each machine has."""
    return [int(node["Resources"].get(kind, 0)) for node in ray.nodes() if node["Alive"]]


def has_gpus() -> bool:
    """Whether the cluster that this process is connected to has any."""
    return any(_resources(_ray(), "GPU"))


class Hand:
    """What runs on the machines: it does what it is given, one thing after the other."""

    def __init__(self, cores: int) -> None:
        os.environ[CORES] = str(cores)
        self._thread = get_native_id()

    def ping(self) -> str:
        """Says which isogloss it is."""
        return version("isogloss")

    def work(self, task: Task[Any, Any], items: Sequence[Any]) -> Any:
        """Run a task on the items of a shard."""
        self._thread = get_native_id()
        return task(items)

    def sign(self) -> float:
        """Changes while the work goes on; where the system does not tell, while this answers."""
        found = sign_of(os.getpid(), self._thread)
        return time.monotonic() if found is None else found


_ASIDE = "aside"
"""The threads of an actor that answer while another one works."""

_DEATHS = (
    *("WorkerCrashedError", "NodeDiedError", "LocalRayletDiedError", "OutOfMemoryError"),
    *("ObjectLostError", "ObjectFetchTimedOutError", "OwnerDiedError"),
)


class RayWorker:
    """An actor of the cluster."""

    def __init__(self, ray: Any, gpu: bool, cores: int) -> None:
        self._ray = ray
        # One with a GPU asks for no core, of which others may have taken all.
        needs = {"num_cpus": 0 if gpu else cores, "num_gpus": int(gpu), "max_restarts": -1}
        self._actor = ray.remote(concurrency_groups={_ASIDE: 1}, **needs)(Hand).remote(cores)
        self._sign: object = 0  # one that never answers gives no sign
        self._asked: Future[Any] | None = None

    def begin(self) -> "Future[Any]":
        """Wait until the actor is there; Ray starts it again by itself when it died."""
        # Tried again while the actor has no machine to live on.
        asked = self._actor.ping.options(max_task_retries=-1).remote()
        return _checked(asked.future())

    def submit(self, task: Task[Any, Any], items: Sequence[Any]) -> "Future[Any]":
        """Run a task on the items of a shard."""
        return _plain(self._ray, self._actor.work.remote(task, items).future())

    def died(self, error: BaseException) -> bool:
        """Whether this is the error of an actor, a machine or a result that is no more."""
        return type(error).__name__ in _DEATHS or isinstance(
            error, self._ray.exceptions.RayActorError
        )

    def sign(self) -> object:
        """What the actor said last; it is asked again."""
        if self._asked is not None and not self._asked.done():
            return self._sign
        if self._asked is not None and self._asked.exception() is None:
            self._sign = self._asked.result()
        self._asked = self._actor.sign.options(concurrency_group=_ASIDE).remote().future()
        return self._sign

    def end(self) -> None:
        """Kill the actor; Ray starts it again, and what it was doing ends in an error."""
        self._ray.kill(self._actor, no_restart=False)

    def dismiss(self) -> None:
        """Stop the actor."""
        self._ray.kill(self._actor)


def _plain(ray: Any, future: "Future[Any]") -> "Future[Any]":
    """The same future, which raises the errors of tasks as the tasks raised them."""
    plain: Future[Any] = Future()

    def settle(ended: "Future[Any]") -> None:
        error = ended.exception()
        if error is None:
            plain.set_result(ended.result())
        else:
            plain.set_exception(_unwrapped(ray, error))

    future.add_done_callback(settle)
    return plain


def _unwrapped(ray: Any, error: BaseException) -> BaseException:
    """What a task raised, or why it could not be run at all."""
    if isinstance(error, ray.exceptions.RayTaskError):
        cause: BaseException = error.cause
        return cause
    if isinstance(error, ray.exceptions.RaySystemError):
        why = str(error).strip().splitlines()[-1]
        return WorkerError(f"a machine of the cluster cannot run isogloss: {why}")
    return error


def _checked(future: "Future[Any]") -> "Future[Any]":
    """The same future, which refuses a machine with another isogloss."""
    checked: Future[Any] = Future()

    def settle(ended: "Future[Any]") -> None:
        error = ended.exception()
        if error is None and ended.result() != version("isogloss"):
            error = WorkerError(
                f"a machine of the cluster has isogloss {ended.result()}, this one has "
                f"{version('isogloss')}; install the same on all"
            )
        if error is None:
            checked.set_result(None)
        else:
            checked.set_exception(error)

    future.add_done_callback(settle)
    return checked

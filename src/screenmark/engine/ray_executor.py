"""``--executor ray``: workers are actors of a Ray cluster, on as many machines as it has.

Ray starts the workers where there is room for what they need, carries the calls and says
when a worker is gone. What is asked of whom, and all that is kept, is decided on the driver.
"""

from __future__ import annotations

import importlib
import logging
import math
import os
import re
import secrets
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from screenmark import __version__
from screenmark.engine.budget import Budget
from screenmark.engine.cached_answers import CachedAnswers
from screenmark.engine.plan import Plan
from screenmark.engine.progress import Display, Progress
from screenmark.engine.runner import Work
from screenmark.engine.shard_worker import Exchange, ShardWorker, WorkerSpec
from screenmark.engine.sharded import ShardedRun, WorkerGone
from screenmark.engine.shards import Ledger, Share, share_endpoints
from screenmark.errors import MissingExtra, UsageError
from screenmark.models import BaseLLMAdapter
from screenmark.models.registry import adapter_name
from screenmark.needs import Needs

_OBJECT_STORE_BYTES: Final = 200 << 20
_SECONDS_TO_ANSWER: Final = 10.0
_ONE_ADDRESS: Final = frozenset({"openai", "dashscope", "anthropic"})
"""Adapters that ask one vendor's address if none is given."""


class Node(NamedTuple):
    """A machine of the cluster and what it has in all, by resource name."""

    id: str
    resources: Mapping[str, float]


class RayCluster:
    """The workers of one run on a connected cluster.

    Args:
        plan: the run.
        model: the driver's own copy of the model.

    Attributes:
        workers: how many there are to be.
    """

    def __init__(self, ray: Any, plan: Plan, model: BaseLLMAdapter) -> None:
        self._ray = ray
        self._benchmark = plan.benchmark
        self._needs = plan.benchmark.info.needs | model.needs
        nodes = [Node(n["NodeID"], n["Resources"]) for n in ray.nodes() if n["Alive"]]
        self._actor = ray.remote(ShardWorker)
        self._places = places(nodes, self._needs, plan.engine.ray_workers)
        self._specs = worker_specs(plan, model, len(self._places))
        self.workers = len(self._places)

    def spread(
        self,
        work: Iterable[Work],
        count: int,
        progress: Progress,
        display: Display,
        budget: Budget,
        cache: CachedAnswers | None,
    ) -> ShardedRun:
        """The run of these samples over the workers."""
        return ShardedRun(
            Ledger(work, count, self.workers),
            self.hire,
            self.workers,
            benchmark=self._benchmark,
            progress=progress,
            display=display,
            budget=budget,
            cache=cache,
        )

    def hire(self, number: int) -> RayWorker:
        """Start worker number ``number``, at its place if that is still there."""
        affinity = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        amounts = self._needs.resources()
        place = self._places[number]
        handle = self._actor.options(
            num_cpus=amounts.pop("CPU"),
            num_gpus=amounts.pop("GPU", 0.0),
            resources=amounts,
            max_restarts=0,  # a new one is hired by hand, with its samples counted
            max_task_retries=0,
            scheduling_strategy=place and affinity(place, soft=True),
        )
        return RayWorker(self._ray, handle.remote(), self._specs[number])


class RayWorker:
    """A `ShardWorker` in an actor."""

    def __init__(self, ray: Any, handle: Any, spec: WorkerSpec) -> None:
        self._ray = ray
        self._handle = handle
        self._spec = spec

    async def start(self) -> Exchange:
        # In a call, not in the constructor's arguments, which the cluster's head would keep.
        state: Exchange = await self._call(self._handle.start, self._spec)
        return state

    async def exchange(self, work: list[Work]) -> Exchange:
        state: Exchange = await self._call(self._handle.exchange, work)
        return state

    async def drain(self) -> None:
        await self._call(self._handle.drain)

    async def finish(self) -> None:
        await self._call(self._handle.finish)

    def kill(self) -> None:
        self._ray.kill(self._handle, no_restart=True)

    async def _call(self, method: Any, *arguments: Any) -> Any:
        try:
            return await method.remote(*arguments)
        except self._ray.exceptions.RayTaskError:
            raise  # the worker is there and says what is wrong
        except self._ray.exceptions.RayError as error:
            raise WorkerGone(_in_short(error)) from error


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Ray, connected to a cluster; left as it was if the caller is connected already.

    Args:
        address: of an existing cluster, or ``auto`` for the one of this machine; None joins
            that one too but starts one if there is none.

    Raises:
        MissingExtra: Ray is not installed.
        UsageError: there is no cluster at that address.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report to its makers
    # What Ray will do in the future; without it Ray warns on every start.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        ray = importlib.import_module("ray")
    except ImportError:
        raise MissingExtra("--executor ray", "ray") from None
    if ray.is_initialized():
        yield ray
        return
    with ExitStack() as own:
        try:
            _connect(ray, address, own)
            with _quiet():
                yield ray
        finally:
            ray.shutdown()


def _connect(ray: Any, address: str | None, own: ExitStack) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        _knock(address)
        ray.init(address=address or "auto", **quiet)
    except (OSError, ValueError, RuntimeError) as error:
        if address is None:
            own.enter_context(_kept_to_ourselves())
            ray.init(
                address="local",
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE_BYTES,
                **quiet,
            )
            return
        where = "on this machine" if address == "auto" else f"at {address}"
        raise UsageError(
            f"--ray-address: no Ray cluster answers {where} ({_in_short(error)}); "
            "start one with: ray start --head"
        ) from None


@contextmanager
def _kept_to_ourselves() -> Iterator[None]:
    """A cluster started in here is reached from this machine only, and with a token.

    Left to itself Ray listens on all of the machine's addresses and puts a token into the home
    folder. It can do without both, but the way to loopback is a switch of its own for other
    systems, which it looks at when it is imported.
    """
    constants = importlib.import_module("ray._private.ray_constants")
    switch = "ENABLE_RAY_CLUSTER"
    before = getattr(constants, switch, None)
    environment = dict(os.environ)
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # for the processes that it starts
    os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    setattr(constants, switch, False)
    _forget_token()
    try:
        yield
    finally:
        setattr(constants, switch, before)
        for name in ("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "RAY_AUTH_TOKEN", "RAY_AUTH_MODE"):
            os.environ.pop(name, None)
            if name in environment:
                os.environ[name] = environment[name]
        _forget_token()


def _forget_token() -> None:
    """Have Ray look anew whether it needs a token, and which; older versions know of none."""
    raylet = importlib.import_module("ray._raylet")
    if hasattr(raylet, "AuthenticationTokenLoader"):
        raylet.Config.initialize("")
        raylet.AuthenticationTokenLoader.instance().reset_cache()


def _knock(address: str | None) -> None:
    """Find out in seconds, not in Ray's minutes, that nobody listens at host:port."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), _SECONDS_TO_ANSWER).close()


def _in_short(error: Exception) -> str:
    """What an error of Ray's says first, and the cause that it names further down."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    causes = [
        line.strip()[:200]
        for line in lines[1:]
        if re.match(r"\s*(\w+Error: |The actor is dead because )", line)
    ]
    return " ".join([lines[0][:200], *causes[-1:]])


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Ray's remarks about lost workers off standard output, where results go.

    Ray prints them whatever ``log_to_driver`` says; the run says itself what it lost.
    """
    worker = importlib.import_module("ray._private.worker")
    name = "print_to_stdstream"
    before = getattr(worker, name, None)
    setattr(worker, name, lambda *arguments, **options: None)
    try:
        yield
    finally:
        setattr(worker, name, before)


def places(nodes: Sequence[Node], needs: Needs, wanted: int | None) -> list[str | None]:
    """Which node each worker is to start on; None leaves that to the cluster.

    Left to itself a run has one worker on each node that can run it, for a worker keeps many
    requests in flight and an embedded model uses all processors of its machine. Where a
    worker needs more than processors (a GPU, a browser, a display), a node has as many
    workers as it has these for.

    Raises:
        UsageError: no node has what a worker needs, and no number of workers was given.
    """
    amounts = needs.resources()
    scarce = [name for name in amounts if name != "CPU"] or None
    room: list[str] = []
    for node in nodes:
        fits = [int(node.resources.get(name, 0.0) / amount) for name, amount in amounts.items()]
        count = min(fits) if scarce else min(1, *fits)
        room += [node.id] * count
    if wanted is not None:
        if not room:
            return [None] * wanted  # the cluster may grow by the nodes that are missing
        rounds = math.ceil(wanted / len(room))
        return [*(room * rounds)[:wanted]]
    if not room:
        said = ", ".join(f"{name}={amount:g}" for name, amount in amounts.items())
        raise UsageError(f"--executor ray: no node of the cluster has what a worker needs: {said}")
    return [*room]


def worker_specs(plan: Plan, model: BaseLLMAdapter, workers: int) -> list[WorkerSpec]:
    """What each worker builds its part of the run from, the endpoint's key included."""
    addresses = list(dict.fromkeys(plan.model.api_base))
    shares = share_endpoints(addresses, workers)
    if not addresses and adapter_name(plan.model, model) not in _ONE_ADDRESS:
        shares = [Share(())] * workers  # a model of its own in every worker
    values = {k: v for k, v in plan.options.items() if v is not None}
    values["api_key"] = plan.model.api_key
    specs = []
    for share in shares:
        own = {
            "api_base": list(share.api_base),
            "concurrency": share.concurrency(plan.model.concurrency),
            "min_interval": plan.engine.min_interval * share.sharers,
        }
        specs.append(
            WorkerSpec(
                benchmark_id=plan.benchmark_id,
                values={k: v for k, v in (values | own).items() if v is not None},
                folder=str(Path.cwd()),
                version=__version__,
                image_limits=plan.benchmark.image_limits,
            )
        )
    return specs

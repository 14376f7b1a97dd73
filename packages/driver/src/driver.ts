import type { Random } from '@replsim/kernel';
import type { ClientEnd } from '@replsim/replset';
import type { DriverOptions } from './driverOptions.ts';
import { Monitor } from './monitor.ts';
import type { ReadPreference } from './readPreference.ts';
import { headOf } from './replyHead.ts';
import { type Ended, tellsOfStateChange } from './retry.ts';
import { isStale, readTopologyVersion, type ServerDescription, unknownServer } from './serverDescription.ts';
import { suitableServers } from './serverSelection.ts';
import { ClientSession, ClusterClock, timesOf } from './session.ts';
import { seedTopology, type TopologyDescription, updateTopology } from './topology.ts';
import { type Waiting, waitFor } from './waiting.ts';

/**
 * One client of a replica set: what it knows of the set, how it finds a server, and the connections on which it waits.
 * All chance comes from its own stream.
 */
export class Driver {
  readonly options: DriverOptions;
  readonly random: Random;
  readonly clusterClock = new ClusterClock();
  /** Operations that name no session share one, as they come one after the other. */
  readonly implicitSession: ClientSession;
  readonly #end: ClientEnd;
  readonly #monitors = new Map<string, Monitor>();
  #topology: TopologyDescription;
  /** Operations that wait for a server: each is asked again when the client has learned something. */
  #selecting = new Set<() => void>();
  readonly #open = new Set<OpenRequest>();

  /**
   * @param seeds addresses, `host:port`, at which it begins to look
   * @param random a stream of its own
   */
  constructor(end: ClientEnd, setName: string, seeds: readonly string[], options: DriverOptions, random: Random) {
    this.#end = end;
    this.options = options;
    this.random = random;
    this.implicitSession = new ClientSession(random.split('implicit session'), { causal: false });
    this.#topology = seedTopology(setName, seeds, end.nowMicros);
    this.#followServers();
  }

  get topology(): TopologyDescription {
    return this.#topology;
  }

  get nowMicros(): number {
    return this.#end.nowMicros;
  }

  /** Ends the monitors. */
  close(): void {
    for (const monitor of this.#monitors.values()) monitor.close();
    this.#monitors.clear();
  }

  /** A server for this preference, one of those that fit by chance; undefined if none was found in time. */
  *selectServer(preference: ReadPreference): Waiting<ServerDescription | undefined> {
    return yield* waitFor<ServerDescription | undefined>((resume) => {
      const end = (server: ServerDescription | undefined) => {
        this.#selecting.delete(look);
        cancelTimeout();
        resume(server);
      };
      const look = () => {
        const servers = suitableServers(this.#topology, preference, this.options);
        if (servers.length > 0) end(this.random.pick(servers));
        else this.#requestChecks();
      };
      const cancelTimeout = this.#end.schedule(this.options.serverSelectionTimeoutMS * 1000, () => end(undefined));
      this.#selecting.add(look);
      look();
    });
  }

  /** Lets time pass. */
  *pause(micros: number): Waiting<void> {
    yield* waitFor<void>((resume) => this.#end.schedule(micros, () => resume(undefined)));
  }

  /** Sends a command to a server and waits for what comes back; learns from it what there is to learn. */
  *request({ address }: ServerDescription, command: Uint8Array): Waiting<Ended> {
    const ended = yield* waitFor<Ended>((resume) => {
      const { socketTimeoutMS } = this.options;
      const finish = (end: Ended) => {
        this.#open.delete(open);
        cancelTimeout();
        resume(end);
      };
      const giveUp = this.#end.send(address, command, finish);
      const breakOff = (end: Ended) => {
        giveUp();
        finish(end);
      };
      const open: OpenRequest = { address, breakOff };
      const cancelTimeout =
        socketTimeoutMS === 0
          ? () => {}
          : this.#end.schedule(socketTimeoutMS * 1000, () =>
              breakOff({ kind: 'timedOut', errmsg: `connection to ${address} timed out after ${socketTimeoutMS} ms` }),
            );
      this.#open.add(open);
    });
    this.#learnFrom(address, ended);
    return ended;
  }

  #learnFrom(address: string, ended: Ended): void {
    if (ended.kind === 'timedOut') return;
    if (ended.kind !== 'reply') return this.#lost(unknownServer(address, this.nowMicros, ended.errmsg));
    this.clusterClock.advance(timesOf(ended.reply).$clusterTime);
    if (!tellsOfStateChange(ended.reply)) return;
    const { topologyVersion: given, errmsg } = headOf(ended.reply);
    const topologyVersion = readTopologyVersion(given);
    // An error that left before the hello that the client has seen since then is no news.
    if (isStale(topologyVersion, this.#topology.servers.get(address)?.topologyVersion, { orEqual: true })) return;
    const unknown = unknownServer(address, this.nowMicros, String(errmsg ?? 'its state changed'));
    this.#lost({ ...unknown, ...(topologyVersion && { topologyVersion }) });
  }

  #lost(server: ServerDescription): void {
    this.#update(server);
    this.#monitors.get(server.address)?.requestCheck();
  }

  #update(server: ServerDescription): void {
    const before = this.#topology;
    this.#topology = updateTopology(before, server);
    if (this.#topology === before) return;
    this.#followServers();
    for (const look of [...this.#selecting]) look();
  }

  /** One monitor for each server that is known, and none for others. */
  #followServers(): void {
    const { servers } = this.#topology;
    for (const [address, monitor] of [...this.#monitors]) {
      if (servers.has(address)) continue;
      monitor.close();
      this.#monitors.delete(address);
    }
    for (const address of servers.keys()) {
      if (this.#monitors.has(address)) continue;
      const monitor = new Monitor(address, this.#end, this.options, {
        checked: (server) => this.#update(server),
        silent: (silent) => this.#breakOffAll(silent),
      });
      this.#monitors.set(address, monitor);
    }
  }

  #requestChecks(): void {
    for (const monitor of this.#monitors.values()) monitor.requestCheck();
  }

  /** Upstream: connection monitoring and pooling, `interruptInUseConnections` after a network timeout of the monitor. */
  #breakOffAll(address: string): void {
    const errmsg = `connection to ${address} was interrupted: its monitor hears nothing`;
    for (const open of [...this.#open]) if (open.address === address) open.breakOff({ kind: 'closed', errmsg });
  }
}

/** A request that waits for its answer. */
interface OpenRequest {
  readonly address: string;
  readonly breakOff: (end: Ended) => void;
}

import { END_OF_CLOCKS_MS, type EventHandle, EventQueue, Network, Random } from '@replsim/kernel';
import {
  type Costs,
  DEFAULT_COSTS,
  isIpAddress,
  isLoopbackName,
  type MongodVersion,
  machineOf,
  type Now,
  otherSpellings,
  resolvable,
  TRACE_VERSION,
} from '@replsim/protocol';
import type { DataFolder } from '@replsim/storage';
import type { ProcessListener, ReplSetOptions } from './api.ts';
import { ClientFaults } from './clientFaults.ts';
import { mustBeOnClock } from './clockRange.ts';
import type { Due } from './due.ts';
import { linkSettings } from './linkSettings.ts';
import { defaultHost, MEMBER_NAME, MEMBER_NAME_RULE, Member } from './member.ts';
import type { HostParts } from './parts.ts';
import { Recorder } from './recorder.ts';

/** Wednesday, 2025-01-01T00:00:00Z. */
export const DEFAULT_EPOCH_MS = 1_735_689_600_000;

/** What the parts of the host share: the members, the time, and what is still to happen. */
export class World {
  readonly options: ReplSetOptions;
  readonly parts: HostParts;
  readonly seed: number;
  readonly setName: string;
  readonly epochMs: number;
  /** See `ReplSetOptions`. */
  readonly endMicros: number;
  readonly version: MongodVersion;
  readonly costs: Costs;
  readonly random: Random;
  readonly network: Network;
  /** What stands between clients and members. */
  readonly clientFaults: ClientFaults;
  readonly recorder: Recorder;
  readonly queue = new EventQueue<Due>();
  /** In the order of the options. */
  readonly members: Member[] = [];
  /** In every spelling of their hosts. */
  readonly #byHost = new Map<string, Member>();
  /** What a name is known of. */
  readonly #machines = new Set<string>();
  readonly byName = new Map<string, Member>();
  readonly processListeners: ProcessListener[] = [];
  nowMicros = 0;
  /** The last instant at which each wall clock, as it goes now, shows what a BSON timestamp can hold. */
  lastMicros = Number.MAX_SAFE_INTEGER;
  changes = 0;
  /** See `accept`. */
  nextConnectionId = 1;
  /** Of clients' commands. */
  nextRequestId = 1;
  /** The number of the latest turn or input: of all that the loop has taken up, and all that came from outside. */
  turn = 0;
  /** Whether the trace is to say what came of what. */
  readonly causes: boolean;
  eventsRun = 0;
  messagesDelivered = 0;

  constructor(options: ReplSetOptions, parts: HostParts) {
    this.options = options;
    this.parts = parts;
    this.seed = options.seed ?? 1;
    this.setName = options.setName ?? 'rs0';
    this.epochMs = options.epochMs ?? DEFAULT_EPOCH_MS;
    this.endMicros = options.endMicros ?? Number.POSITIVE_INFINITY;
    this.version = options.version ?? '8.0';
    this.causes = options.causes ?? false;
    this.costs = { ...DEFAULT_COSTS, ...options.costs };
    this.random = Random.fromSeed(this.seed);
    this.network = new Network(this.random.split('network'), linkSettings(options.network ?? {}));
    this.clientFaults = new ClientFaults(this.random.split('client faults'));
    this.network.addEnds(...options.members.map(({ name }) => name));
    this.recorder = new Recorder({
      atMicros: 0,
      type: 'runStarted',
      traceVersion: TRACE_VERSION,
      seed: this.seed,
      version: this.version,
      setName: this.setName,
      members: options.members.map(({ name }) => name),
      ...hostsOf(options),
      ...(options.machineNames?.length && { machineNames: options.machineNames }),
      ...givenOf(options),
      epochMs: this.epochMs,
      ...(options.icu !== undefined && { icu: options.icu }),
    });
  }

  /** Opens the disks of all members; no process runs yet. */
  async openMembers(): Promise<void> {
    const { members, dbpath } = this.options;
    const names = members.map(({ name }) => name);
    if (new Set(names).size < names.length) throw new RangeError(`two members have the same name: ${names}`);
    for (const name of names) if (!MEMBER_NAME.test(name)) throw new RangeError(`${MEMBER_NAME_RULE}, not ${name}`);
    const otherHosts = otherSpellings(
      members.map(({ name, host }) => host ?? defaultHost(name)),
      this.options.machineNames,
    );
    for (const [index, spec] of members.entries()) {
      const disk = await this.parts.openDisk(dbpath === undefined ? {} : folderOf(dbpath, spec.name));
      const random = this.random.split('member', spec.name);
      const member = new Member(spec, this.setName, this.epochMs, disk, random, otherHosts[index]);
      this.members.push(member);
      for (const host of [member.host, ...member.otherHosts]) {
        this.#byHost.set(resolvable(host), member);
        this.#machines.add(machineOf(resolvable(host)));
      }
      this.byName.set(member.name, member);
      mustBeOnClock(member.name, member.clock.wallMs(0));
    }
    this.clocksChanged();
  }

  /** @throws RangeError if there is no such member */
  member(name: string): Member {
    const member = this.byName.get(name);
    if (member === undefined) throw new RangeError(`no member is called ${name}`);
    return member;
  }

  /** Who is at a host, however it is spelled; undefined if nobody is. */
  memberAt(host: string): Member | undefined {
    return this.#byHost.get(resolvable(host));
  }

  /** What a process's operating system says of a host where no member listens. */
  whyNobodyAt(host: string): string {
    const machine = machineOf(resolvable(host));
    if (this.#machines.has(machine) || isLoopbackName(machine)) return 'Connection refused';
    return isIpAddress(host) ? 'No route to host' : 'Host not found';
  }

  /** All of them. @throws the first failure */
  async closeDisks(): Promise<void> {
    const closed = await Promise.allSettled(this.members.map(({ disk }) => disk.close()));
    for (const each of closed) if (each.status === 'rejected') throw each.reason;
  }

  /** Something happened that may change what a member answers. */
  changed(member: Member): void {
    member.changes++;
    this.changes++;
  }

  /** A wall clock was set, or goes at another pace. */
  clocksChanged(): void {
    const ends = this.members.map(({ clock }) => clock.microsAt(this.nowMicros, END_OF_CLOCKS_MS));
    this.lastMicros = Math.min(...ends.map((end = Number.MAX_SAFE_INTEGER) => end - 1));
  }

  /** The clocks of one member at this instant. */
  now(member: Member): Now {
    return { monotonicMicros: this.nowMicros, wallMs: member.clock.wallMs(this.nowMicros) };
  }

  /** Something begins from which other things come: they will remember its number. */
  beginTurn(): number {
    this.turn++;
    this.queue.cause = this.turn;
    return this.turn;
  }

  /** Puts something into the queue, `afterMicros` from now. */
  schedule(afterMicros: number, due: Due): EventHandle {
    return this.queue.schedule(this.nowMicros + afterMicros, due);
  }
}

/** Where a member's data lie, and whose they are. */
export function folderOf(dbpath: string, name: string): DataFolder {
  return { directory: `${dbpath}/${name}`, owner: name };
}

function hostsOf({ members }: ReplSetOptions): { hosts?: readonly string[] } {
  if (members.every(({ name, host }) => host === undefined || host === defaultHost(name))) return {};
  return { hosts: members.map(({ name, host }) => host ?? defaultHost(name)) };
}

/** What the set was made with besides its members, if it was not left to defaults. */
function givenOf({ settings, parameters, network, costs }: ReplSetOptions): {
  options?: Readonly<Record<string, unknown>>;
} {
  const given = Object.entries({ settings, parameters, network, costs }).filter(
    ([, value]) => Object.keys(value ?? {}).length > 0,
  );
  return given.length === 0 ? {} : { options: Object.fromEntries(given) };
}

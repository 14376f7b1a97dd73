import { type Link, type Network, type Random, WallClock } from '@replsim/kernel';
import type { MemberSpec } from './api.ts';
import type { HostDisk } from './parts.ts';
import type { Process } from './process.ts';

/** The port of every member, as scenarios spell hosts. */
const PORT = 27017;

/** The host of a member that names none: its name, at the port of mongod. */
export function defaultHost(name: string): string {
  return `${name}:${PORT}`;
}

/** One member's place in the set: what outlives its processes. */
export class Member {
  readonly name: string;
  readonly host: string;
  readonly spec: MemberSpec;
  readonly clock: WallClock;
  readonly disk: HostDisk;
  readonly diskFaults: DiskFaults = { latencyMs: 0, full: false, corrupt: false };
  #random: Random;
  readonly #peers = new Map<string, Peer>();
  /** Grows with every event that may change what this member answers. */
  changes = 0;
  /** The process that runs now. */
  process: Process | undefined = undefined;
  /** The set that its latest command line named; undefined for a standalone. */
  setName: string | undefined;
  readonly #epochMs: number;
  #lives = 0;

  /** @param random this member's own stream */
  constructor(spec: MemberSpec, setName: string, epochMs: number, disk: HostDisk, random: Random) {
    this.name = spec.name;
    this.host = spec.host ?? defaultHost(spec.name);
    this.spec = spec;
    this.clock = new WallClock({ epochMs, ...spec.clock });
    this.disk = disk;
    this.setName = spec.standalone ? undefined : setName;
    this.#random = random;
    this.#epochMs = epochMs;
  }

  /**
   * A stream for its next process, which no other process shares: none of this run, and none of an earlier run that left
   * something on the disk, whose ids are there for good.
   * @param segments how many the disk's journal has had
   */
  nextLife(segments: number): Random {
    if (this.#lives === 0 && segments > 0) this.#random = this.#random.split('resumed', segments, this.#epochMs);
    return this.#random.split('life', this.#lives++);
  }

  /** The way to another host. A host outside the set has a link too, at whose end nobody listens. */
  peer(host: string, network: Network, members: ReadonlyMap<string, Member>): Peer {
    let peer = this.#peers.get(host);
    if (peer === undefined) {
      const member = members.get(host);
      const name = member?.name ?? host;
      peer = { host, member, link: network.link(this.name, name), linkBack: network.link(name, this.name) };
      this.#peers.set(host, peer);
    }
    return peer;
  }
}

/** What is wrong with a member's disk; it outlives its processes. */
export interface DiskFaults {
  /** What each write takes besides its cost. */
  latencyMs: number;
  full: boolean;
  corrupt: boolean;
}

/** Another host as one member sees it. */
export interface Peer {
  readonly host: string;
  /** Undefined if no member of the set has this host. */
  readonly member: Member | undefined;
  readonly link: Link;
  readonly linkBack: Link;
}

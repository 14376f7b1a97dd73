import { type Link, type Network, type Random, WallClock } from '@replsim/kernel';
import type { OpTime } from '@replsim/protocol';
import type { MemberSpec } from './api.ts';
import type { HostDisk } from './parts.ts';
import type { Process } from './process.ts';

/** What a member may be called: it is also the name of a folder, and a word in scenarios. */
export const MEMBER_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
export const MEMBER_NAME_RULE =
  'a member\'s name is made of letters, digits, "-", "_" and ".", and begins with a letter or digit';

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
  /** How far the journal of its last process reached, as that one knew it; undefined if it was a standalone. */
  lastDurable: OpTime | undefined = undefined;
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
   * The set goes on with what an earlier run has left, whose ids are there for good: none of its processes may draw them
   * again, nor one whose own disk was lost, since the others know its ids.
   * @param segments how many this disk's journal has had @param setSegments those of all members
   */
  resume(segments: number, setSegments: number): void {
    this.#random = this.#random.split('resumed', segments, setSegments, this.#epochMs);
  }

  /** A stream for its next process, which no other process of this run shares. */
  nextLife(): Random {
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

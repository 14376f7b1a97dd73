import { type EventHandle, type Link, type Network, type Random, WallClock } from '@replsim/kernel';
import type { MongodEvent } from '@replsim/node';
import type { HoldablePart, MemberRequest, MongodVersion, OpTime } from '@replsim/protocol';
import type { MemberSpec } from './api.ts';
import type { FaultyClient } from './clientFaults.ts';
import type { DiskWrite, HostDisk, MongodProcess } from './parts.ts';
import type { Asker } from './pending.ts';
import { Computing, type Processor } from './processor.ts';

/** What a member may be called: it is also the name of a folder, and a word in scenarios. */
export const MEMBER_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
/** The same in words, for messages. */
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
  /** Other spellings of it. */
  readonly otherHosts: readonly string[];
  readonly spec: MemberSpec;
  readonly clock: WallClock;
  readonly disk: HostDisk;
  readonly diskFaults: DiskFaults = {
    latencyMs: 0,
    full: false,
    corrupt: false,
    lost: false,
    torn: false,
    misdirected: false,
  };
  readonly processor: Processor = { slowdown: 1, cores: 0 };
  #random: Random;
  readonly #peers = new Map<string, Peer>();
  /** Grows with every event that may change what this member answers. */
  changes = 0;
  /** The process that runs now. */
  process: Process | undefined = undefined;
  /** How far the journal of its last process reached, as that one knew it; undefined if it was a standalone. */
  lastDurable: OpTime | undefined = undefined;
  /** What its latest processes are, if they are not what its spec says. */
  version: MongodVersion | undefined;
  /** What its key file holds, where it is not the set's. */
  keys: readonly string[] | undefined;
  /** The set that its latest command line named; undefined for a standalone. */
  setName: string | undefined;
  readonly #epochMs: number;
  #lives = 0;

  /** @param random this member's own stream */
  constructor(
    spec: MemberSpec,
    setName: string,
    epochMs: number,
    disk: HostDisk,
    random: Random,
    otherHosts: readonly string[] = [],
  ) {
    this.name = spec.name;
    this.host = spec.host ?? defaultHost(spec.name);
    this.otherHosts = otherHosts;
    this.spec = spec;
    this.clock = new WallClock({ epochMs, ...spec.clock });
    this.disk = disk;
    this.version = spec.version;
    this.keys = spec.access?.keys;
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
  peer(host: string, network: Network, memberAt: (host: string) => Member | undefined): Peer {
    let peer = this.#peers.get(host);
    if (peer === undefined) {
      const member = memberAt(host);
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
  /** Writes stay in its cache. */
  lost: boolean;
  /** The next power failure catches it in the middle of a write. */
  torn: boolean;
  /** The journal's next write goes elsewhere. */
  misdirected: boolean;
}

/** Another host as one member sees it. */
export interface Peer {
  readonly host: string;
  /** Undefined if no member of the set has this host. */
  readonly member: Member | undefined;
  readonly link: Link;
  readonly linkBack: Link;
}

/**
 * One life of a member's mongod. What is under way for a process ends with it: timers, deliveries, disk writes and
 * answers refer to the process, not to the member, so the next life never sees what was meant for the last.
 */
export class Process {
  readonly member: Member;
  readonly mongod: MongodProcess;
  /** Draws the jitter of its timers. */
  readonly jitter: Random;
  alive = true;
  paused = false;
  /** `mongod.changes` when it was last looked at. */
  changesSeen = 0;
  /** How often it was to let go of its oldest entries. */
  truncationsAsked = 0;
  /** Has seen the event `started`. */
  started = false;
  /** The turn or input of which its start came. */
  readonly cause: number;
  readonly timers = new Map<string, EventHandle>();
  /** Those that end what it computes, where its processor has few cores. */
  readonly computing = new Computing();
  /** Which of the timers go by the wall clock, and what it has to show. */
  readonly alarms = new Map<string, number>();
  /** What happened to it while it was paused, in order. */
  held: HeldEvent[] = [];
  /** What happened to the parts that are held, in order; a part that is not held has no entry. */
  readonly heldParts = new Map<HoldablePart, HeldEvent[]>();
  /** Writes that the disk has not done because the journal is, or just was, held. */
  readonly heldWrites: DiskWrite[] = [];
  /** Clients' commands under way, by request id. */
  readonly clients = new Map<number, Asker>();
  /** Those of clients outside the network, which are open. */
  readonly connections = new Set<OpenConnection>();
  nextConnectionId = 1;
  /** When the disk has done all that was asked of it so far. */
  diskBusyUntil = 0;
  /** Other members' requests under way, by the id under which this process knows them. */
  readonly requests = new Map<number, OpenRequest>();

  constructor(member: Member, mongod: MongodProcess, jitter: Random, cause: number) {
    this.cause = cause;
    this.member = member;
    this.mongod = mongod;
    this.jitter = jitter;
  }
}

/** What a process saw while it, or the part that it was for, stood still. */
export interface HeldEvent {
  readonly event: MongodEvent;
  /** The timer that fell due: it may yet be cancelled or moved by what was held before it. */
  readonly timer: EventHandle | undefined;
}

/** A request as it was sent, and who waits for the answer. */
interface OpenRequest {
  readonly request: MemberRequest;
  readonly asker: Process;
}

/** A client's connection as the process at its end knows it. */
export interface OpenConnection extends FaultyClient {
  readonly connectionId: number;
  /** What befalls clients has changed: it may be frozen now, or go on. */
  look(): void;
  /** The process ends, or wants no more of this client. */
  hangUp(): void;
}

import { firstKey, type HoldablePart, type OpTime, type TraceEventType } from '@replsim/protocol';
import type {
  ActingUser,
  ClientEnd,
  Connection,
  ConnectionListener,
  DiskFaultSettings,
  MemberStatus,
  NetworkSettings,
  PendingReply,
  ProcessListener,
  ReplSetOptions,
  Standing,
  StartOptions,
  TraceListener,
} from './api.ts';
import { LinkedClient, OutsideClient } from './clientEnd.ts';
import { ConnectedClient } from './connection.ts';
import { eventDue } from './due.ts';
import type { CpuChanged } from './faults/processor.ts';
import { applyFault, connectionsMeant, type FaultAction, faultText } from './faults/table.ts';
import { startEarly } from './loop.ts';
import type { Member } from './member.ts';
import { type HostParts, REAL_PARTS } from './parts.ts';
import { Passage } from './passage.ts';
import { Pending, unreachableReply } from './pending.ts';
import type { ReplicaSetApi, RunRecord } from './replicaSetApi.ts';
import { headOf, initiateCommand, startMembers } from './startup.ts';
import { input } from './turns.ts';
import { World } from './world.ts';

/** Creates a host with replacements for some of its parts. Tests of this package use it. */
export function createHost(parts: Partial<HostParts>): {
  /** Like `ReplSet.create`. */
  create(options: ReplSetOptions): Promise<ReplSet>;
} {
  return { create: (options) => createWith(options, { ...REAL_PARTS, ...parts }) };
}

/** A replica set that runs in virtual time: one loop that owns time, randomness and order. See `ReplicaSetApi`. */
export class ReplSet implements ReplicaSetApi {
  readonly #world: World;
  readonly #passage: Passage;
  #closed = false;

  /**
   * Opens the disks, starts all members and sends `replSetInitiate`. Nothing happens until time passes, so listeners that you add
   * right away miss nothing.
   * @throws CommandError or StartupError if a process refuses to start
   */
  static async create(options: ReplSetOptions): Promise<ReplSet> {
    // The callers that read options from users check most of them; this one is easily forgotten.
    if (!Array.isArray(options?.members))
      throw new TypeError("ReplSet.create: members is a list: ReplSet.create({ members: [{ name: 'n1' }] })");
    return createWith(options, REAL_PARTS);
  }

  /** For a world whose members have been started. Use `create` instead. */
  constructor(world: World) {
    this.#world = world;
    const initiation = world.options.initiate === false ? undefined : initiateCommand(world);
    this.#passage = new Passage(world, initiation && this.send(initiation.on.name, initiation.command));
  }

  /** Seed of the random numbers. */
  get seed(): number {
    return this.#world.seed;
  }

  /** Name of the set. */
  get setName(): string {
    return this.#world.setName;
  }

  /** Time zero, in ms since 1970. */
  get epochMs(): number {
    return this.#world.epochMs;
  }

  /** The current virtual time, in µs since time zero. */
  get nowMicros(): number {
    return this.#world.nowMicros;
  }

  /** The processes of the set, in the order in which they were listed. */
  get memberNames(): readonly string[] {
    return this.#world.members.map(({ name }) => name);
  }

  get changes(): number {
    return this.#world.changes;
  }

  /** When the next event is due; undefined if none is. */
  get nextEventMicros(): number | undefined {
    return this.#world.queue.peekTime();
  }

  /** How many events the loop has handled. */
  get eventsRun(): number {
    return this.#world.eventsRun;
  }

  /** How many messages have reached a process. */
  get messagesDelivered(): number {
    return this.#world.messagesDelivered;
  }

  /** Whether a member's process runs, and how. */
  status(name: string): MemberStatus {
    const { process, setName, changes } = this.#member(name);
    const answers = process !== undefined && !process.paused;
    return {
      running: process !== undefined,
      paused: process?.paused ?? false,
      mode: setName === undefined ? 'standalone' : 'replSet',
      changes,
      truncatesOplog: answers && process.truncationsAsked > process.mongod.oplogTruncations,
      saysPrimary: answers && process.mongod.saysPrimary,
      saysArbiter: answers && (process.started ? process.mongod.saysArbiter : undefined),
    };
  }

  /** Whether a member would stand for election now, and until when it may not. A process that answers nobody would not. */
  standing(name: string): Standing {
    const { process } = this.#member(name);
    if (process === undefined || process.paused || !process.started) return { electable: false, barredUntilMicros: 0 };
    const { electable, barredUntilMicros } = process.mongod;
    return { electable, barredUntilMicros };
  }

  /**
   * How far a member's journal reaches, as the member knows or knew when it ended; a crash loses nothing up to there. Null if it
   * has no data; undefined if it does not use its oplog, like a standalone.
   */
  durable(name: string): OpTime | undefined {
    const { process, lastDurable } = this.#member(name);
    return process?.mongod.durable ?? lastDurable;
  }

  /** A member's own wall clock, in ms since 1970. @param atMicros predict it for this virtual time, provided no fault changes it */
  wallMs(name: string, atMicros: number = this.nowMicros): number {
    return this.#member(name).clock.wallMs(atMicros);
  }

  /** If the member is not running, the reply is there at once: the error that its clients would get. */
  send(name: string, command: Uint8Array, user?: ActingUser): PendingReply {
    const { process, host } = this.#member(name);
    const pending = new Pending(name, this.nowMicros);
    if (process === undefined) {
      pending.answer(unreachableReply(`${host}: connection refused`), this.nowMicros);
      return pending;
    }
    input(this.#world, 'command', () => `${firstKey(command)} to ${name}`);
    const requestId = this.#world.nextRequestId++;
    process.clients.set(requestId, pending);
    this.#world.schedule(0, eventDue(process, { type: 'command', requestId, command, ...(user && { user }) }));
    return pending;
  }

  /** If the member is not running or is paused, the reply is the error that its clients would get in the end. */
  ask(name: string, command: Uint8Array): Uint8Array {
    const member = this.#member(name);
    const { process, host } = member;
    if (process === undefined) return unreachableReply(`${host}: connection refused`);
    if (process.paused) return unreachableReply(`${host}: no answer, the process is paused`);
    startEarly(this.#world, process);
    return process.mongod.ask(command, this.#world.now(member));
  }

  client(name: string, near?: string): ClientEnd {
    return near === undefined
      ? new OutsideClient(this.#world, name)
      : new LinkedClient(this.#world, name, this.#member(near).name);
  }

  hostOf(name: string): string {
    return this.#member(name).host;
  }

  /** The parameters of the set and of this member, which apply at every start. */
  headOf(name: string): Readonly<Record<string, unknown>> {
    return headOf(this.#world, this.#member(name).name);
  }

  memberAt(host: string): string | undefined {
    return this.#world.memberAt(host)?.name;
  }

  connect(name: string, remote: string, listener: ConnectionListener): Connection | undefined {
    const { process } = this.#member(name);
    return process && new ConnectedClient(this.#world, process, remote, listener);
  }

  reject(name: string, remote: string): boolean {
    const { process } = this.#member(name);
    if (process === undefined) return false;
    input(this.#world, 'command', () => `a connection too many to ${name}`);
    this.#world.schedule(0, eventDue(process, { type: 'connectionRejected', remote }));
    return true;
  }

  /** Calls `listener` whenever a process starts or ends. */
  onProcess(listener: ProcessListener): void {
    this.#world.processListeners.push(listener);
  }

  /**
   * Lets time pass until `enough()`, called after each event, returns true, or until `untilMicros`. For a caller that controls the
   * clock itself.
   * @returns whether `untilMicros` was reached; a promise only if a real disk had to be awaited
   */
  pump(untilMicros: number, enough: () => boolean): Promise<boolean> | boolean {
    this.#mustBeOpen();
    return this.#passage.pump(untilMicros, enough);
  }

  async advanceTo(untilMicros: number): Promise<void> {
    this.#mustBeOpen();
    await this.#passage.advanceTo(untilMicros);
  }

  async runUntil(done: () => boolean, limitMicros: number): Promise<boolean> {
    this.#mustBeOpen();
    return this.#passage.runUntil(done, limitMicros);
  }

  lookAt(atMicros: number, look: () => void): void {
    this.#mustBeOpen();
    this.#passage.lookAt(atMicros, look);
  }

  /** Waits for disks one at a time, with virtual time stopped, so that the speed of a disk cannot change the run. */
  fault(action: FaultAction): Promise<void> | undefined {
    this.#mustBeOpen();
    input(this.#world, 'fault', () => faultText(action));
    const waits = applyFault(this.#world, action);
    return waits && this.#passage.start(waits);
  }

  /** How many client connections a fault would affect now; undefined if it is not about clients. */
  connectionsMeant(action: FaultAction): number | undefined {
    return connectionsMeant(this.#world, action);
  }

  /** Sends SIGKILL: data that was not flushed to disk is lost. */
  kill(member: string): void {
    this.fault({ type: 'kill', member });
  }

  /** Sends SIGTERM for a clean shutdown, which is complete when the process has ended. */
  shutdown(member: string): void {
    this.fault({ type: 'shutdown', member });
  }

  /** Starts a stopped process. Resolves when it runs, and rejects if it refuses to start. */
  async start(member: string, options: StartOptions = {}): Promise<void> {
    await this.fault({ type: 'start', member, options });
  }

  /** Sends SIGSTOP: the process is suspended. Messages and expired timers wait for it. */
  pause(member: string): void {
    this.fault({ type: 'pause', member });
  }

  /** Sends SIGCONT: the process handles everything that has waited, in order of arrival. */
  resume(member: string): void {
    this.fault({ type: 'resume', member });
  }

  /** Stops one part of a process until `release`, or until the process ends. */
  hold(member: string, part: HoldablePart): void {
    this.fault({ type: 'hold', member, part });
  }

  /** Lets a held part continue. */
  release(member: string, part: HoldablePart): void {
    this.fault({ type: 'release', member, part });
  }

  /** Splits the network: members of different groups cannot reach each other. */
  partition(groups: readonly (readonly string[])[]): void {
    this.fault({ type: 'partition', groups });
  }

  /** Drops all messages from one member to another. The opposite direction still works. */
  cut(from: string, to: string): void {
    this.fault({ type: 'cut', from, to });
  }

  /** Closes the connections between two members. They may reconnect at once. */
  disconnect(from: string, to: string): void {
    this.fault({ type: 'disconnect', from, to });
  }

  /** Ends `partition`, `cut` and `clients` faults. `all` also resets the links. */
  heal(members: 'all' | readonly string[]): void {
    this.fault({ type: 'heal', members });
  }

  /** Changes the given settings of the link from one member to another. */
  link(from: string, to: string, settings: NetworkSettings): void {
    this.fault({ type: 'link', from, to, settings });
  }

  /** Moves a wall clock ahead, or back if the number is negative. */
  jumpClock(member: string, jumpMs: number): void {
    this.fault({ type: 'clock', member, jumpMs });
  }

  /** Makes a wall clock gain this many microseconds each second. */
  driftClock(member: string, driftPpm: number): void {
    this.fault({ type: 'clock', member, driftPpm });
  }

  /** Makes a disk slow or full, lets it lie about its writes, ends that, or corrupts its data. */
  async disk(member: string, settings: DiskFaultSettings): Promise<void> {
    await this.fault({ type: 'disk', member, settings });
  }

  /** Makes a processor slow, or lets it compute few operations at a time. */
  cpu(member: string, settings: Omit<CpuChanged, 'type' | 'member'>): void {
    this.fault({ type: 'cpu', member, ...settings });
  }

  record(event: RunRecord): void {
    if (event.type === 'step') input(this.#world, 'step', () => event.text);
    this.#world.recorder.run(this.nowMicros, event);
  }

  onTrace(listener: TraceListener, types?: ReadonlySet<TraceEventType>): () => void {
    return this.#world.recorder.add(listener, types);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#passage.settled();
    await this.#world.closeDisks();
  }

  #member(name: string): Member {
    return this.#world.member(name);
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new Error('the set is closed');
  }
}

async function createWith(options: ReplSetOptions, parts: HostParts): Promise<ReplSet> {
  const world = new World(options, parts);
  try {
    await world.openMembers();
    await startMembers(world);
    return new ReplSet(world);
  } catch (error) {
    await world.closeDisks();
    throw error;
  }
}

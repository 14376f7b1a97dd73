import { firstKey, type HoldablePart, type OpTime, type TraceEventType } from '@replsim/protocol';
import type {
  ClientEnd,
  Connection,
  ConnectionListener,
  DiskFaultSettings,
  MemberStatus,
  NetworkSettings,
  PendingReply,
  ProcessListener,
  ReplSetOptions,
  StartOptions,
  TraceListener,
} from './api.ts';
import { LinkedClient, OutsideClient } from './clientEnd.ts';
import { ConnectedClient } from './connection.ts';
import { eventDue } from './due.ts';
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

/** A host that puts other parts to work than the real ones: the seam at which this package is tested. */
export function createHost(parts: Partial<HostParts>): {
  /** As `ReplSet.create`. */
  create(options: ReplSetOptions): Promise<ReplSet>;
} {
  return { create: (options) => createWith(options, { ...REAL_PARTS, ...parts }) };
}

/** A replica set at work in virtual time: one loop that owns time, chance and order. See `ReplicaSetApi`. */
export class ReplSet implements ReplicaSetApi {
  readonly #world: World;
  readonly #passage: Passage;
  #closed = false;

  /**
   * Opens the disks, starts all members and sends the initiation. Nothing happens before time passes, so listeners that are
   * added next miss nothing.
   * @throws CommandError or StartupError when a process refuses to start
   */
  static async create(options: ReplSetOptions): Promise<ReplSet> {
    // Of these options most are judged by whoever reads them for people; this one is forgotten.
    if (!Array.isArray(options?.members))
      throw new TypeError("ReplSet.create: members is a list: ReplSet.create({ members: [{ name: 'n1' }] })");
    return createWith(options, REAL_PARTS);
  }

  /** For a world whose members have been started; use `create`. */
  constructor(world: World) {
    this.#world = world;
    const initiation = world.options.initiate === false ? undefined : initiateCommand(world);
    this.#passage = new Passage(world, initiation && this.send(initiation.on.name, initiation.command));
  }

  /** Where chance comes from. */
  get seed(): number {
    return this.#world.seed;
  }

  /** The set's own name. */
  get setName(): string {
    return this.#world.setName;
  }

  /** Time zero, ms since 1970. */
  get epochMs(): number {
    return this.#world.epochMs;
  }

  /** Virtual now: microseconds since time zero. */
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

  /** When the next event is due; undefined if nothing ever happens again. */
  get nextEventMicros(): number | undefined {
    return this.#world.queue.peekTime();
  }

  /** How many events the loop has taken from its queue. */
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

  /**
   * How far a member's journal reaches, as it knows itself, or knew when it ended: what no crash takes away. Null if it has no
   * data; undefined where nobody has asked its oplog, as with a standalone.
   */
  durable(name: string): OpTime | undefined {
    const { process, lastDurable } = this.#member(name);
    return process?.mongod.durable ?? lastDurable;
  }

  /** A member's own wall clock, ms since 1970. @param atMicros virtual time, unless a fault comes before */
  wallMs(name: string, atMicros: number = this.nowMicros): number {
    return this.#member(name).clock.wallMs(atMicros);
  }

  /** A member that is not running answers at once, with the error that its clients would get. */
  send(name: string, command: Uint8Array): PendingReply {
    const { process, host } = this.#member(name);
    const pending = new Pending(name, this.nowMicros);
    if (process === undefined) {
      pending.answer(unreachableReply(`${host}: connection refused`), this.nowMicros);
      return pending;
    }
    input(this.#world, 'command', () => `${firstKey(command)} to ${name}`);
    const requestId = this.#world.nextRequestId++;
    process.clients.set(requestId, pending);
    this.#world.schedule(0, eventDue(process, { type: 'command', requestId, command }));
    return pending;
  }

  /** A member that is not running, or stands still, answers with the error that its clients would get in the end. */
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

  /** The parameters of the set and of this member, with which it is started whatever a start says. */
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

  /** Calls `listener` whenever a process has started or ended. */
  onProcess(listener: ProcessListener): void {
    this.#world.processListeners.push(listener);
  }

  /**
   * Lets time pass until `enough()` holds, which is asked after each event, or until `untilMicros` is reached. For a door
   * that turns the clock itself.
   * @returns whether `untilMicros` was reached; a promise only if a real disk had to be waited for
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

  /** Time stands still while a disk has to be waited for: one after the other, so that the speed of a disk decides nothing. */
  fault(action: FaultAction): Promise<void> | undefined {
    this.#mustBeOpen();
    input(this.#world, 'fault', () => faultText(action));
    const waits = applyFault(this.#world, action);
    return waits && this.#passage.start(waits);
  }

  /** How many connections of clients a fault would be about now; undefined for one that is not about clients. */
  connectionsMeant(action: FaultAction): number | undefined {
    return connectionsMeant(this.#world, action);
  }

  /** SIGKILL: what was not flushed is lost. */
  kill(member: string): void {
    this.fault({ type: 'kill', member });
  }

  /** SIGTERM; over when the process has ended. */
  shutdown(member: string): void {
    this.fault({ type: 'shutdown', member });
  }

  /** Starts a process that has ended; over when it runs, or has refused to. */
  async start(member: string, options: StartOptions = {}): Promise<void> {
    await this.fault({ type: 'start', member, options });
  }

  /** SIGSTOP: the process stands still, and what comes for it waits. */
  pause(member: string): void {
    this.fault({ type: 'pause', member });
  }

  /** SIGCONT: all that has waited happens now, in order. */
  resume(member: string): void {
    this.fault({ type: 'resume', member });
  }

  /** Stops one part of a process until it is released, or the process ends. */
  hold(member: string, part: HoldablePart): void {
    this.fault({ type: 'hold', member, part });
  }

  /** Lets a held part go on. */
  release(member: string, part: HoldablePart): void {
    this.fault({ type: 'release', member, part });
  }

  /** Members of different groups do not reach each other. */
  partition(groups: readonly (readonly string[])[]): void {
    this.fault({ type: 'partition', groups });
  }

  /** Nothing gets from one to the other any more; the other direction still works. */
  cut(from: string, to: string): void {
    this.fault({ type: 'cut', from, to });
  }

  /** Closes the connections between two members; they may open new ones at once. */
  disconnect(from: string, to: string): void {
    this.fault({ type: 'disconnect', from, to });
  }

  /** Mends what `partition`, `cut` and `clients` have done; `all` mends links too. */
  heal(members: 'all' | readonly string[]): void {
    this.fault({ type: 'heal', members });
  }

  /** Changes what is named of the way from one to the other. */
  link(from: string, to: string, settings: NetworkSettings): void {
    this.fault({ type: 'link', from, to, settings });
  }

  /** Puts a wall clock ahead; a negative number puts it back. */
  jumpClock(member: string, jumpMs: number): void {
    this.fault({ type: 'clock', member, jumpMs });
  }

  /** Makes a wall clock gain so many microseconds a second. */
  driftClock(member: string, driftPpm: number): void {
    this.fault({ type: 'clock', member, driftPpm });
  }

  /** Makes a disk slow or full, or mends that; or damages what is on it. */
  async disk(member: string, settings: DiskFaultSettings): Promise<void> {
    await this.fault({ type: 'disk', member, settings });
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

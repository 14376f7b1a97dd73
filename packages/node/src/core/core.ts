import { RamLog } from '@replsim/database';
import { maxTimestamp } from '@replsim/oplog';
import { FailPoints } from '@replsim/pipeline';
import {
  type Channel,
  type Costs,
  type ErrorReply,
  FATE_TRACES,
  IdSource,
  InvariantError,
  type LogComponent,
  type LogLine,
  LogVerbosity,
  type MemberAuth,
  type MemberCommand,
  type MemberReply,
  type MemberTrace,
  type MongodVersion,
  type Now,
  NULL_TIMESTAMP,
  resolvable,
  type Timestamp,
  type TraceEventType,
  VERSIONS,
  type VersionTraits,
} from '@replsim/protocol';
import type { StorageEngine } from '@replsim/storage';
import type { Deadline, MongodEffect, SetTimer } from './events.ts';
import { LineRate } from './lineRate.ts';
import { Threads } from './threads.ts';

/** By what members and clients know each other. */
export interface AccessOptions {
  /** `--keyFile`, as it was given. */
  readonly keyFile?: string | undefined;
  /** What the file holds, without white space: one key, or two while they are being changed. */
  readonly keys?: readonly string[] | undefined;
  /** `--transitionToAuth`: clients and members may authenticate, but need not. */
  readonly transitionToAuth?: boolean | undefined;
}

/** How a process is started; what a command line and a configuration file would say. */
export interface StartupOptions {
  /** `name:port`, by which it is known where no config spells it otherwise. */
  readonly host: string;
  /** Other spellings that are resolved to this process; it finds itself in a config by any of them. */
  readonly otherHosts?: readonly string[];
  readonly mode: 'replSet' | 'standalone';
  /** `--replSet`. */
  readonly setName: string | undefined;
  readonly version: MongodVersion;
  /** `--queryableBackupMode`: nothing is written. Default false. */
  readonly queryableBackupMode?: boolean;
  /** `security.authorization: enabled`: nobody may do what no privilege allows. Default false. */
  readonly authorization?: boolean;
  /** By what members and clients know each other. */
  readonly access?: AccessOptions | undefined;
  /** `--setParameter`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly costs: Costs;
  readonly oplogSizeBytes: number;
  /** `--oplogSize`, in MB, where somebody asked for a size. */
  readonly oplogSizeMB?: number | undefined;
  /** `storage.oplogMinRetentionHours`; default 0, none. */
  readonly oplogMinRetentionHours?: number;
  /** `--dbpath`: the folder of this member's data; absent where they are in memory. */
  readonly dbPath?: string | undefined;
  /** From which this process derives its UUIDs, cursor ids and the like. */
  readonly idSeed: readonly [number, number];
  /** 12 bytes; new for each process life. */
  readonly processId: Uint8Array;
  /** Whether anybody reads the trace. */
  readonly tracing: boolean;
  /** Whether anybody reads what the fate of writes follows from, though nobody may read the rest. Default false. */
  readonly tracingFates?: boolean;
  /** Whether a trace includes commands and log lines, which every command produces. Default: true. */
  readonly tracingTalk?: boolean;
  /** Whether the trace says until when elections wait, and how votes stand. Default false. */
  readonly tracingCauses?: boolean;
}

const FATES: ReadonlySet<TraceEventType> = new Set(FATE_TRACES);

type Answer = (reply: MemberReply | ErrorReply) => void;

/** Some 140 years: added to any moment of a run it is still an exact number. */
const LONGEST_TIMER_MICROS = 2 ** 52;
/** A year. Upstream: maxAcceptableLogicalClockDriftSecs. */
const MAX_CLUSTER_TIME_DRIFT_SECS = 365 * 24 * 60 * 60;

/**
 * What all parts of one mongod share: its clocks, its way out (effects), its data and its answers to come.
 * The parts hold their own state; this holds none that belongs to one of them.
 */
export class Core {
  readonly options: StartupOptions;
  readonly traits: VersionTraits;
  readonly ids: IdSource;
  readonly failPoints: FailPoints;
  engine: StorageEngine;
  now: Now = { monotonicMicros: 0, wallMs: 0 };
  /** When the process started, of the monotonic clock. */
  startedMicros = 0;
  /** The greatest timestamp seen anywhere. */
  clusterTime: Timestamp = NULL_TIMESTAMP;
  /** Something changed that a waiting operation may be waiting for. */
  woken = false;
  /** Grows whenever this member's answers may change; callers that poll it from outside look at this. */
  changes = 0;
  /** How much each component says; `logComponentVerbosity` changes it. */
  readonly logVerbosity = new LogVerbosity();
  readonly logs = { global: new RamLog(), startupWarnings: new RamLog() };
  /** How many lines of one kind clients may cause in a second; 0: any number. */
  mostClientLines: () => number = () => 0;
  readonly #lineRate = new LineRate();
  #effects: MongodEffect[] = [];
  #nextRequestId = 1;
  readonly #answers = new Map<number, Answer>();
  /** As the config in force spells it; undefined if this member is not in one. */
  hostInConfig: string | undefined;
  /** By what it shows others that it is a member. */
  readonly #auth: MemberAuth | undefined;
  /** What each timer that is set wakes. */
  readonly #timers = new Map<string, () => void>();

  constructor(options: StartupOptions, engine: StorageEngine) {
    this.options = options;
    this.traits = VERSIONS[options.version];
    this.ids = new IdSource(options.idSeed);
    this.failPoints = new FailPoints(this.ids);
    this.engine = engine;
    const { keys = [], transitionToAuth = false } = options.access ?? {};
    if (keys.length > 0) this.#auth = Object.freeze({ keys, optional: transitionToAuth });
  }

  /** As the config in force spells it, and as others know it therefore. */
  get host(): string {
    return this.hostInConfig ?? this.options.host;
  }

  /** Whether a host of a config is this process. Upstream: isself.cpp, isSelf. */
  isSelf(host: string): boolean {
    const { host: own, otherHosts = [] } = this.options;
    return [own, ...otherHosts].some((each) => resolvable(each) === resolvable(host));
  }

  get costs(): Costs {
    return this.options.costs;
  }

  /** The thread of a mongod that would do what is done now, as log lines name it. */
  thread: string = Threads.replCoord;
  /** During recovery nothing is told: it happens before the process is there. */
  recovering = false;

  get tracing(): boolean {
    return this.options.tracing && !this.recovering;
  }

  /** The same for the few events that decide the fate of writes. */
  get tracingFates(): boolean {
    return (this.options.tracing || this.options.tracingFates === true) && !this.recovering;
  }

  /** The same of commands and log lines. */
  get tracingTalk(): boolean {
    return this.tracing && this.options.tracingTalk !== false;
  }

  /** Whether the trace is to say what leads to what: callers ask it before they build such events. */
  get tracingCauses(): boolean {
    return this.tracing && this.options.tracingCauses === true;
  }

  /** Until when something is waited for, on the run's clock; undefined: no longer. @param of see the trace's `deadline` */
  deadline(of: Deadline, dueMicros: number | undefined): void {
    if (this.tracingCauses) this.trace({ type: 'deadline', of, ...(dueMicros !== undefined && { dueMicros }) });
  }

  /** Keeps the data as they are under this number, unless they have it already. */
  markVersion(version: number): void {
    if (version > this.engine.versions.newest) this.engine.markVersion(version);
  }

  push(effect: MongodEffect): void {
    this.#effects.push(effect);
  }

  takeEffects(): readonly MongodEffect[] {
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  /** Callers on hot paths ask `tracing` first, so that nobody builds what nobody reads. */
  trace(event: MemberTrace): void {
    if (this.tracing || (this.tracingFates && FATES.has(event.type))) this.#effects.push({ type: 'trace', event });
  }

  /**
   * Does something as the thread that would do it in a mongod: what is logged meanwhile bears its name. Code that handles
   * an event from its beginning may set `thread` instead.
   */
  as(thread: string, work: () => void): void {
    const { thread: before } = this;
    this.thread = thread;
    try {
      work();
    } finally {
      this.thread = before;
    }
  }

  /** Writes one line of the structured log. @param ctx the thread that would have written it */
  log(
    severity: LogLine['severity'],
    component: string,
    id: number,
    msg: string,
    attr: Readonly<Record<string, unknown>> = {},
    ctx = this.thread,
  ): void {
    const line: LogLine = { severity, component, id, ...this.#service(ctx), ctx, msg, attr };
    if (this.#isAdmitted(line)) this.#write(line);
  }

  /** What is left out is said at the end of the second. */
  #isAdmitted(line: LogLine): boolean {
    const { monotonicMicros } = this.now;
    const { tellsAtMicros: before } = this.#lineRate;
    const isAdmitted = this.#lineRate.admits(line, this.mostClientLines(), monotonicMicros);
    const { tellsAtMicros } = this.#lineRate;
    if (before === undefined && tellsAtMicros !== undefined)
      this.setTimer('linesLeftOut', () => this.#tellLeftOut(), tellsAtMicros - monotonicMicros);
    return isAdmitted;
  }

  /** The id is ours. */
  #tellLeftOut(): void {
    const lines = this.#lineRate.takeLeftOut(this.now.monotonicMicros);
    const perSecond = this.mostClientLines();
    this.log('W', 'CONTROL', 1, 'Log lines about clients were left out', { perSecond, lines }, 'listener');
  }

  /** A line that `getLog` goes on showing under `startupWarnings`. */
  startupWarning(component: LogComponent, id: number, msg: string, attr: Readonly<Record<string, unknown>> = {}): void {
    const ctx = 'initandlisten';
    const tags = ['startupWarnings'];
    const line: LogLine = { severity: 'W', component, id, ...this.#service(ctx), ctx, msg, attr, tags };
    this.logs.startupWarnings.add(this.now.wallMs, line);
    this.#write(line);
  }

  #write(line: LogLine): void {
    const { wallMs } = this.now;
    this.logs.global.add(wallMs, line);
    this.changed();
    if (this.tracingTalk) this.trace({ type: 'log', line, wallMs });
  }

  /** The main thread belongs to no service. */
  #service(ctx: string): Pick<LogLine, 'svc'> {
    return this.traits.logsService ? { svc: ctx === 'main' ? '-' : 'S' } : {};
  }

  /** The debug level up to which a component's lines are kept; log calls on hot paths ask before they build anything. */
  verbosity(component: LogComponent): number {
    return this.logVerbosity.of(component);
  }

  /** A line that is kept only if the component is to be that talkative. @param level 1 to 5 */
  debug(
    level: 1 | 2 | 3 | 4 | 5,
    component: LogComponent,
    id: number,
    msg: string,
    attr?: Readonly<Record<string, unknown>>,
    ctx?: string,
  ): void {
    if (level <= this.verbosity(component)) this.log(`D${level}`, component, id, msg, attr, ctx);
  }

  /**
   * A time that has passed is now; one that nobody will live to see, as clients may ask for, is cut off.
   * @param key names the timer: setting it again moves it @param fire what it wakes
   */
  setTimer(
    key: string,
    fire: () => void,
    afterMicros: number,
    how: Pick<SetTimer, 'jitterMicros' | 'deadline' | 'computes'> = {},
  ): void {
    this.#timers.set(key, fire);
    const inRange = Math.min(Math.max(Math.ceil(afterMicros), 0), LONGEST_TIMER_MICROS);
    this.#effects.push({ type: 'setTimer', key, afterMicros: inRange, ...how });
  }

  /** A timer that fires at a random time, for which something waits until then; see `deadline`. */
  setJitteredTimer(key: string, fire: () => void, afterMicros: number, jitterMicros: number, of: Deadline): void {
    this.setTimer(key, fire, afterMicros, { jitterMicros, ...(this.tracingCauses && { deadline: of }) });
  }

  /** A timer on the wall clock. @param wallMs ms since 1970 */
  setAlarm(key: string, fire: () => void, wallMs: number): void {
    this.#timers.set(key, fire);
    this.#effects.push({ type: 'setAlarm', key, wallMs });
  }

  cancelTimer(key: string): void {
    this.#timers.delete(key);
    this.#effects.push({ type: 'cancelTimer', key });
  }

  /** A timer or alarm has gone off. */
  fireTimer(key: string): void {
    const fire = this.#timers.get(key);
    if (!fire) throw new InvariantError(`no such timer: ${key}`);
    this.#timers.delete(key);
    fire();
  }

  /** A moment of the monotonic clock, past or to come, on this member's wall clock. */
  dateOf(monotonicMicros: number): Date {
    return new Date(this.now.wallMs + Math.round((monotonicMicros - this.now.monotonicMicros) / 1000));
  }

  /** Sends a request to another member; `answer` is called at most once, and never after `forget`. */
  request(to: string, channel: Channel, command: MemberCommand, answer: Answer): number {
    const id = this.#nextRequestId++;
    this.#answers.set(id, answer);
    const { host: from, clusterTime: $clusterTime } = this;
    // A literal with all of its fields: one that is put together costs several times as much, and members ask all the time.
    const auth = this.#auth;
    const message = {
      kind: 'request',
      id,
      from,
      to,
      channel,
      command: Object.freeze(command),
      $clusterTime,
      auth,
    } as const;
    this.#effects.push({ type: 'send', message: Object.freeze(message) });
    return id;
  }

  respond(to: string, channel: Channel, id: number, reply: MemberReply | ErrorReply): void {
    const { host: from, clusterTime: $clusterTime } = this;
    const message = { kind: 'response', id, from, to, channel, reply: Object.freeze(reply), $clusterTime } as const;
    this.#effects.push({ type: 'send', message: Object.freeze(message) });
  }

  /** A response came in; one that nobody waits for any more is dropped. */
  answered(id: number, reply: MemberReply | ErrorReply): void {
    const answer = this.#answers.get(id);
    if (!answer) return;
    this.#answers.delete(id);
    answer(reply);
  }

  /** Gives up waiting for an answer. */
  forget(id: number): void {
    this.#answers.delete(id);
  }

  /** Moves the cluster time on; it never goes back. */
  sawClusterTime(ts: Timestamp): void {
    this.clusterTime = maxTimestamp(this.clusterTime, ts);
  }

  /**
   * The cluster time that came with a message. One too far ahead of this member's own clock is not believed.
   * Upstream: vector_clock.cpp, gossipIn and _ensurePassesRateLimiter.
   */
  heardClusterTime(ts: Timestamp): void {
    if (ts.t <= this.now.wallMs / 1000 + MAX_CLUSTER_TIME_DRIFT_SECS) this.sawClusterTime(ts);
  }

  /** Lets waiting operations look again at the end of this step. */
  wake(): void {
    this.woken = true;
    this.changes += 1;
  }

  /** Something that no operation waits for shows in what this member answers from now on. */
  changed(): void {
    this.changes += 1;
  }
}

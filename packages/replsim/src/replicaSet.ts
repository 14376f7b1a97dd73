import { rmSync } from 'node:fs';
import type { RecordingFile } from '@replsim/cli';
import { CommandError } from '@replsim/protocol';
import {
  type BrokenInvariant,
  checkAsked,
  durationMicros,
  type InvariantBroken,
  idleMaxLead,
  type LostWrite,
  limitArguments,
  lossText,
  membersOf,
  playFault,
  ServedSet,
  type ServedStatus,
  type SetLedger,
  SetStoppedError,
  type StepDownOptions,
  shownValue,
  wallClockMs,
} from '@replsim/server';
import { keepCompiled } from '../bin/load.js';
import type { Call } from './caller.ts';
import { isSet } from './ci.ts';
import {
  type FakedWorld,
  FakeTimersError,
  type FakeTimersLibrary,
  fakeTimers,
  type UsedFakeTimers,
  warnOfFakedTicks,
} from './fakeTimers.ts';
import { FaultMethods } from './faultMethods.ts';
import type { ReplicaSetOptions } from './options.ts';
import { playSteps } from './playSteps.ts';
import { quietlyStopped } from './quietlyStopped.ts';
import { readOptions, type Wanted } from './readOptions.ts';
import { recordTo } from './recording.ts';

/** `"61s"`, `"1h30m"`, or milliseconds. */
export type Duration = string | number;

/** How many arguments methods take that return promises, and those that do not. */
const REJECTING = {
  advance: 1,
  untilTtlPass: 1,
  untilPrimary: 1,
  waitUntilRunning: 0,
  stepDown: 1,
  ledger: 0,
  lost: 0,
  command: 2,
  stop: 1,
  cleanup: 1,
};
const THROWING = { getUri: 1, now: 1, onProcess: 1, useFakeTimers: 2, useRealTimers: 0, unref: 0 };

/** What `stop` clears away; as in mongodb-memory-server. */
export interface Cleanup {
  /** Data in memory are gone anyway. */
  readonly doCleanup?: boolean;
  /** Removes the folder `dbpath` too. */
  readonly force?: boolean;
}

/** Hears of a process that has ended, and how, or that has started. */
export type ProcessListener = (member: string, how?: 'killed' | 'shutdown' | 'fatal') => void;

/**
 * A replica set in this process, on real ports of this machine, which real drivers connect to, and whose clock can be turned.
 * Virtual time flows at `speed` while nobody waits, and as fast as the machine can while a command is under way or somebody
 * has asked for a jump. Every method resolves when what it says has happened; after `stop()` it rejects with SetStoppedError.
 * The faults of a scenario's steps are methods too.
 */
export class ReplicaSet extends FaultMethods implements AsyncDisposable {
  readonly #served: ServedSet;
  readonly #wanted: Wanted;
  #recording: RecordingFile | undefined;
  #faked: UsedFakeTimers | undefined;
  readonly #processListeners: ProcessListener[] = [];
  #isStopped = false;

  /**
   * Starts a set and lets time pass until it has a primary (unless `initiate` is false) or until the steps of `scenario` are done.
   * @throws InvalidOptions; PortTakenError; DbpathInUseError, DbpathMismatchError, DataGoneError, DiskError; NoPrimaryError; InvalidScenario,
   *   ScenarioFailed; CommandError for a config or a parameter that a mongod would refuse
   */
  static async start(options: ReplicaSetOptions = {}): Promise<ReplicaSet> {
    const wanted = readOptions(options);
    warnOfFakedTicks();
    const { serve, scenario, record, invariants = isSet(process.env.CI) } = wanted;
    const served = await ServedSet.open({
      ...serve,
      invariants,
      ...(scenario && { speed: 0, epochMs: serve.epochMs ?? wallClockMs() }),
    });
    const idleLead = idleMaxLead(serve.maxLeadMs, serve.speed);
    if (idleLead !== undefined) process.emitWarning(`maxLead: ${idleLead}`, { code: 'REPLSIM_IDLE_MAX_LEAD' });
    served.handshakes.onRefused((told) => process.emitWarning(told, { code: 'REPLSIM_BAD_HANDSHAKE' }));
    served.standstill.onInVain((told) => process.emitWarning(told, { code: 'REPLSIM_TIME_STANDS_STILL' }));
    for (const loss of served.losses) process.emitWarning(lossText(loss), { code: 'REPLSIM_DATA_LOST' });
    let recording: RecordingFile | undefined;
    try {
      if (record !== undefined) recording = recordTo(record, served);
      if (scenario !== undefined) await playSteps(served, scenario);
      else if (serve.initiate !== false) await served.ready();
      served.pacer.speed = serve.speed ?? 1;
      return new ReplicaSet(served, wanted, recording);
    } catch (error) {
      await served.stop();
      recording?.close();
      // A set that breaks its promises may well not find a primary, either.
      throw brokenOf(served, wanted) ?? served.failure ?? error;
    }
  }

  /** The same as `start`, as mongodb-memory-server calls it. */
  static create(options: ReplicaSetOptions = {}): Promise<ReplicaSet> {
    return ReplicaSet.start(options);
  }

  private constructor(served: ServedSet, wanted: Wanted, recording: RecordingFile | undefined) {
    if (!(served instanceof ServedSet))
      throw new TypeError('new ReplicaSet() does not start a set: use "await ReplicaSet.start(options)"');
    super((kind, what) => this.#do((served) => playFault(served, { [kind]: what }, { asked: kind })));
    this.#served = served;
    this.#wanted = wanted;
    this.#recording = recording;
  }

  /** For `new MongoClient(uri)`. */
  get uri(): string {
    return this.getUri();
  }

  /** For `new MongoClient(uri)`. @param database the one that clients use where they name none; default `replSet.dbName` */
  getUri(database: string | undefined = this.#wanted.database): string {
    return this.#served.uriOf(database);
  }

  /** The set's own name. */
  get name(): string {
    return this.#served.set.setName;
  }

  /** Repeats this run, given the same input at the same virtual times. */
  get seed(): number {
    return this.#served.set.seed;
  }

  /** Who accepts writes now; undefined if nobody does. */
  get primary(): string | undefined {
    return this.#served.primary;
  }

  /** The processes of the set, spares included: where they listen, and whether they run; after `stop()` none does. */
  get members(): ServedStatus['members'] {
    return this.#served.status().members;
  }

  /** What the set has broken so far, the first 20; empty where nobody looks, without `invariants`. */
  get brokenInvariants(): readonly BrokenInvariant[] {
    return this.#served.invariants?.broken ?? [];
  }

  /** Virtual seconds a second while nobody waits; 0 holds time still. */
  get speed(): number {
    return this.#served.pacer.speed;
  }

  /** @throws RangeError */
  set speed(speed: number) {
    this.#served.pacer.speed = speed;
  }

  /**
   * Virtual now: what a clock that is right shows, and so each member's but those that `clock` has changed.
   * @param member whose own clock is meant: `n1`, or `primary`, by whose TTL deletes
   * @throws CommandError for a member that there is not
   */
  now(member?: string): Date {
    if (member === undefined) return new Date(this.#served.wallMs);
    const [name = member] = membersOf(this.#served, member);
    return new Date(this.#served.wallMsOf(name));
  }

  /**
   * Fakes the `Date` and the timers of this process by `vi`, `jest` or `sinon`: they and the set's virtual time are one clock, which
   * stands still but for what commands take and `advance` asks for. Timers and the set's events come in one order, to the
   * millisecond. The library's own calls turn the clock as well. Drivers' patience, and `setImmediate`, `nextTick`,
   * `queueMicrotask`, `performance` and the modules `node:timers` stay real. `stop()` restores them.
   * @param world whose timers they are, where it is not this `globalThis`
   * @throws FakeTimersError where timers are faked already, or at another speed than 1; SetStoppedError
   */
  useFakeTimers(library: FakeTimersLibrary, world: FakedWorld = globalThis): UsedFakeTimers {
    const { pacer, failure } = this.#served;
    if (this.#isStopped || failure !== undefined) throw new SetStoppedError();
    if (pacer.speed !== 1)
      throw new FakeTimersError(
        `the set's speed is ${pacer.speed}: a set can only follow the application's clock at speed 1`,
      );
    this.#faked = this.#served.follow((nowMs, heard) => fakeTimers(library, world, nowMs, heard));
    return this.#faked;
  }

  /** Ends what `useFakeTimers` has begun, as its `restore()`; does nothing where timers are real. */
  useRealTimers(): void {
    this.#faked?.restore();
  }

  /**
   * Everything due within so much virtual time happens, as fast as the machine can. Of several calls at once each begins where
   * the one before it ends.
   * @returns virtual now
   */
  advance(duration: Duration): Promise<Date> {
    return this.#do(async (served) => {
      const micros = await served.advance(durationMicros('advance', duration));
      return new Date(served.set.epochMs + Math.floor(micros / 1000));
    });
  }

  /**
   * Lets time pass until the TTL monitor of the primary has ended its next pass, one that begins from now on: what is due now
   * is gone then. `within`: of virtual time, at most; default an hour.
   * @throws NoTtlPassError, which says why
   */
  untilTtlPass(options: { readonly within?: Duration } = {}): Promise<void> {
    return this.#do(async (served) => {
      checkAsked('untilTtlPass', options, ['within']);
      return served.untilTtlPass(optionalMicros(options.within));
    });
  }

  /**
   * Lets time pass until a member accepts writes. `within`: of virtual time, at most; default two minutes. `other`: not this one.
   * @returns its name
   * @throws NoPrimaryError, which names what each member says
   */
  untilPrimary(options: { readonly within?: Duration; readonly other?: string } = {}): Promise<string> {
    return this.#do(async (served) => {
      checkAsked('untilPrimary', options, ['within', 'other']);
      return served.untilPrimary(optionalMicros(options.within), options.other);
    });
  }

  /** There is a primary. */
  waitUntilRunning(): Promise<void> {
    return this.#do(async (served) => void (await served.untilPrimary()));
  }

  /** Makes the primary step down, and waits for the next. @returns who that is @throws CommandError with the primary's refusal */
  stepDown(options: StepDownOptions = {}): Promise<string> {
    return this.#do((served) => served.stepDown(options));
  }

  /**
   * Sends a command to one member, whatever its state, with `$db: "admin"` unless it says otherwise.
   * @returns the reply, with plain numbers
   * @throws CommandError if the reply is an error, or the write concern was not met, as a driver's `db.command` does; `extra` is the reply
   */
  command(member: string, command: object): Promise<Record<string, unknown>> {
    return this.#do(async (served) => {
      checkCommand(member, command);
      const [name] = membersOf(served, member);
      const reply = await served.command(name!, command);
      const error = reply.ok === 1 ? (reply.writeConcernError as Record<string, unknown> | undefined) : reply;
      if (error === undefined) return reply;
      throw new CommandError(Number(error.code), String(error.errmsg), reply);
    });
  }

  /**
   * What the clients of the set were told of their writes, and which of these are lost as of now: by which election, or reconfig by
   * force, and what write concern would have kept them. A write counts when its reply says that its write concern is met; a
   * retry counts once, `w: 0` and a `writeConcernError` not at all.
   * @throws NoLedgerError in a set started with `ledger: false`
   */
  ledger(): Promise<SetLedger> {
    return this.#do(async (served) => {
      await served.advance(0);
      return served.ledger();
    });
  }

  /** The acknowledged writes that are lost as of now: `expect(await set.lost()).toEqual([])`. The same as `lost` of `ledger()`. */
  async lost(): Promise<readonly LostWrite[]> {
    const { lost } = await this.ledger();
    return lost;
  }

  /** The process may end though nobody has stopped the set; clients that are connected keep it alive. */
  unref(): void {
    this.#served.unref();
  }

  /**
   * Closes the ports and the disks; nothing stays behind that would keep the process alive. Members are not shut down first,
   * but nothing acknowledged at `w: "majority"` or `j: true` is lost. A second call does nothing more.
   * @throws InvariantBroken, if the set broke an invariant; Error with what ended it before, if something did
   */
  async stop(cleanup: Cleanup = {}): Promise<void> {
    const { force = false } = checkedCleanup('stop', cleanup);
    await this.#end();
    keepCompiled();
    if (force) await this.cleanup({ force });
    const broken = brokenOf(this.#served, this.#wanted);
    if (broken !== undefined) throw broken;
    const { failure } = this.#served;
    if (failure !== undefined)
      throw new Error(`the set with seed ${this.seed} has failed: ${failure}`, { cause: failure });
  }

  /** Stops the set, and with `force` removes the folder `dbpath`. */
  async cleanup(cleanup: Cleanup = {}): Promise<void> {
    const { force = false } = checkedCleanup('cleanup', cleanup);
    await this.#end();
    const { dbpath } = this.#wanted.serve;
    if (force && dbpath !== undefined) rmSync(dbpath, { recursive: true, force: true });
  }

  /** Calls `listener` whenever a process of the set starts or ends; `stop()` shuts all of them down. */
  onProcess(listener: ProcessListener): void {
    if (typeof listener !== 'function') throw new CommandError('BadValue', 'onProcess takes a function of (name, how)');
    this.#served.set.onProcess(listener);
    this.#processListeners.push(listener);
  }

  /** `await using set = …` stops it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  static {
    limitArguments(ReplicaSet, { start: 1, create: 1 }, true);
    limitArguments(ReplicaSet.prototype, REJECTING, true);
    limitArguments(ReplicaSet.prototype, THROWING, false);
  }

  async #end(): Promise<void> {
    // Who has waited in vain learns by this why.
    warnOfFakedTicks();
    this.#isStopped = true;
    this.useRealTimers();
    const { set } = this.#served;
    const running = set.memberNames.filter((name) => set.status(name).running);
    await this.#served.stop();
    for (const listener of this.#processListeners.splice(0)) for (const name of running) listener(name, 'shutdown');
    this.#recording?.close();
    this.#recording = undefined;
  }

  #do<Result>(act: (served: ServedSet) => Promise<Result>): Promise<Result> {
    warnOfFakedTicks();
    const call: Call = {};
    Error.captureStackTrace(call, this.#do);
    return quietlyStopped(act(this.#served), call);
  }
}

function brokenOf(served: ServedSet, { record }: Wanted): InvariantBroken | undefined {
  return served.broken(record, "record: 'FILE'");
}

/** What removes data is not guessed. @throws CommandError BadValue, TypeMismatch */
function checkedCleanup(asked: 'stop' | 'cleanup', cleanup: Cleanup): Cleanup {
  checkAsked(asked, cleanup, ['doCleanup', 'force']);
  for (const [name, value] of Object.entries(cleanup))
    if (value !== undefined && typeof value !== 'boolean')
      throw new CommandError('TypeMismatch', `${asked}: ${name} must be a boolean, not ${shownValue(value)}`);
  return cleanup;
}

/** Who comes from a driver's `db.command({ … })` forgets the member. */
function checkCommand(member: unknown, command: unknown): void {
  if (typeof member === 'string' && typeof command === 'object' && command !== null) return;
  throw new CommandError('BadValue', "command takes a member's name and a document: command('n1', { ping: 1 })");
}

function optionalMicros(within: Duration | undefined): number | undefined {
  return within === undefined ? undefined : durationMicros('within', within);
}

import { CommandError, decodePromoted, encodeDocument, machineOf, required } from '@replsim/protocol';
import {
  barredText,
  type FaultAction,
  type MemberStatus,
  type ReplSet,
  type ReplSetOptions,
  type StartOptions,
  unsettled,
} from '@replsim/replset';
import type { FakeClock } from './clock/followedClock.ts';
import { Pacer } from './clock/pacer.ts';
import { REAL_TIME, wallClockMs } from './clock/realTime.ts';
import { Standstill } from './clock/standstill.ts';
import { compressorsOf } from './compression/compressors.ts';
import { AdminDoor } from './doors/adminDoor.ts';
import { DatesBehind } from './doors/datesBehind.ts';
import { Handshakes } from './doors/handshakes.ts';
import { isAccessControlled, Limits } from './doors/limits.ts';
import { hostsIntroducedBy, hostsOf, introducesHosts, ownAddressesOf } from './doors/machineNames.ts';
import { MemberPort } from './doors/memberPort.ts';
import { passwordRemover } from './doors/passwords.ts';
import { isQuiescing } from './doors/quiesce.ts';
import { reachOf } from './doors/reach.ts';
import { Recorder } from './doors/recorder.ts';
import { checkedStepDown, commandOptions, DEFAULT_SECS, type StepDownOptions } from './doors/stepDownOptions.ts';
import { membersOf } from './doors/targets.ts';
import { type BrokenInvariant, InvariantBroken, InvariantWatch } from './invariantWatch.ts';
import { NoLedgerError } from './ledger/noLedgerError.ts';
import { type SetLedger, WriteLedger } from './ledger/writeLedger.ts';
import type { Loss } from './losses.ts';
import { allServe, newestMember } from './newestMember.ts';
import { NoPrimaryError, NoTtlPassError } from './notReached.ts';
import { type OpenedSet, openSet } from './openSet.ts';
import { primaryLook, primaryOf, whenChanged } from './primary.ts';
import { SavedClock } from './savedSet.ts';
import { memberSpecs, type ServeOptions } from './serveOptions.ts';
import { type OpenedTls, tlsOfUri } from './tls/openTls.ts';
import { TtlPassWatch } from './ttlPassWatch.ts';

/** How long a set may take to elect a primary. Unit: µs of virtual time. */
const ELECTION_LIMIT_MICROS = 120_000_000;
/** A pass a minute, by default; a monitor that is off never ends one. */
const TTL_LIMIT_MICROS = 3_600_000_000;
/** Members that start on their data have recovered well before the first of them would stand for election. */
const RECOVERY_LIMIT_MICROS = 9_000_000;
/** How long clients have at least to hear that a member quiesces, and it to answer what they had sent. Unit: ms. */
const QUIESCE_MS = 50;
/** A clean shutdown: the quiesce period, and a step-down before it. */
const SHUTDOWN_LIMIT_MICROS = 60_000_000;
/** How long a rolling restart waits for a member to be back, and for a primary. */
const SETTLE_LIMIT_MICROS = 120_000_000;
/** Whatever a member can do again, it does so with its next heartbeat at the latest. */
const HEARTBEAT_MICROS = 2_000_000;

/** Upstream: net.maxIncomingConnections. */
const MOST_CONNECTIONS = 1_000_000;

/** The state of a set at an instant. */
export interface ServedStatus {
  /** Name of the set. */
  readonly set: string;
  readonly seed: number;
  /** Virtual time since the start. Unit: µs. */
  readonly nowMicros: number;
  /** How far commands have carried virtual time ahead of the wall clock, jumps not included. Unit: µs. */
  readonly leadMicros: number;
  /** Name of the member that accepts writes, or undefined if none does. */
  readonly primary: string | undefined;
  /** All processes of the set, including spares. */
  readonly members: readonly {
    readonly name: string;
    readonly host: string;
    readonly running: boolean;
    readonly paused: boolean;
  }[];
  /** The invariants that it has broken so far, at most the first 20; absent if they are not checked. */
  readonly brokenInvariants?: readonly BrokenInvariant[];
}

/** The members that the others, or clients, may take for gone. */
function membersLost(action: FaultAction): readonly string[] {
  switch (action.type) {
    case 'kill':
    case 'pause':
    // Its process may end with its disk, and the others may take it for dead without its heartbeats.
    case 'disk':
    case 'hold':
      return [action.member];
    case 'partition':
      return action.groups.flat();
    case 'cut':
    case 'disconnect':
    case 'link':
      return [action.from, action.to];
    default:
      return [];
  }
}

/** A replica set that listens on real ports, with a clock that you control. */
export class ServedSet {
  readonly set: ReplSet;
  /** As they were given. */
  readonly options: ServeOptions;
  /** The options of `set`. */
  readonly setOptions: ReplSetOptions;
  readonly pacer: Pacer;
  readonly recorder: Recorder;
  readonly handshakes = new Handshakes();
  readonly dates = new DatesBehind({ setMs: () => this.wallMs, machineMs: wallClockMs });
  readonly standstill: Standstill;
  /** Absent if the invariants are not checked. */
  readonly invariants: InvariantWatch | undefined;
  /** Absent if the ledger is turned off. */
  readonly #ledger: WriteLedger | undefined;
  readonly #ports: ReadonlyMap<string, MemberPort>;
  /** Whether it continues with the data of an earlier run. */
  readonly resumed: boolean;
  /** Members that start with less data than when the set was last saved. */
  readonly losses: readonly Loss[];
  /** How its ports are secured; absent without TLS. */
  readonly tls: OpenedTls | undefined;
  #stopped: Promise<void> | undefined;
  /** Settles when all jumps so far have ended; a new one begins where the last one ended. */
  #advanced: Promise<unknown> | undefined;
  #savedClock: SavedClock | undefined;
  /** Who was found to be primary last. */
  #announced: string | undefined;
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;

  /**
   * Opens the ports, starts the members and lets virtual time pass until there is a primary. With `initiate: false` it does not wait.
   * @throws PortTakenError
   * @throws RangeError for an invalid option
   * @throws DbpathInUseError, DbpathMismatchError, DataGoneError or DiskError, for the data under `dbpath`
   * @throws NoPrimaryError
   * @throws whatever `ReplSet.create` throws
   */
  static async start(options: ServeOptions = {}): Promise<ServedSet> {
    const served = await ServedSet.open(options);
    try {
      if (options.initiate !== false) await served.ready();
      return served;
    } catch (error) {
      await served.stop();
      throw served.failure ?? error;
    }
  }

  /** Like `start`, but waits for nothing; time passes from the first input on, so listeners that are added next miss nothing. */
  static open(options: ServeOptions = {}): Promise<ServedSet> {
    return openSet(options, (opened) => new ServedSet(opened));
  }

  private constructor({ set, setOptions, listeners, options, resumed, losses, tls, dueMicros }: OpenedSet) {
    this.resumed = resumed;
    this.losses = losses;
    this.tls = tls;
    this.options = options;
    const { speed = 1, maxLeadMs, dbpath, invariants = false, ledger = true } = options;
    const { maxIncomingConnections: mostConnections = MOST_CONNECTIONS } = options;
    this.set = set;
    this.setOptions = setOptions;
    this.#ledger = ledger ? new WriteLedger(set) : undefined;
    this.invariants = invariants ? new InvariantWatch(set) : undefined;
    this.pacer = new Pacer(set, { speed, dueMicros, ...(maxLeadMs !== undefined && { maxLeadMs }) });
    this.pacer.onFailure((error) => this.#onFailure(error));
    const look = whenChanged(set, primaryLook(set));
    this.standstill = new Standstill({
      nowMicros: () => set.nowMicros,
      inVain: () => (this.#isClosed || !this.pacer.standsStill ? undefined : this.#inVain(look() !== undefined)),
    });
    this.pacer.onStill(() => this.standstill.look());
    this.recorder = new Recorder(set);
    const parts = {
      pacer: this.pacer,
      recorder: this.recorder,
      door: new AdminDoor(this),
      handshakes: this.handshakes,
      dates: this.dates,
      tls: tls?.material,
      limitsOf: () => new Limits({ isAccessControlled: isAccessControlled(setOptions), mostConnections }),
      compressorsOf: (member: string) => compressorsOf(setOptions, member),
      connect: set.connect.bind(set),
      reject: set.reject.bind(set),
      withoutPassword: passwordRemover(setOptions),
      introduce: (command: Uint8Array) => this.#met(hostsIntroducedBy(command)),
    };
    this.#ports = new Map(listeners.map((listener) => [listener.member, new MemberPort(listener, parts)]));
    set.onProcess((member, how) => this.#onProcess(member, how));
    if (dbpath !== undefined) this.#remember(dbpath, options);
  }

  #inVain(hasPrimary: boolean): string | undefined {
    const still = 'virtual time stands still while';
    if (this.pacer.isStarved)
      return `${still} a command waits for more than five seconds of it: let it pass by set.advance('10s'), or { replsimAdvance: '10s' } with readPreference nearest`;
    if (hasPrimary || ![...this.#ports.values()].some(({ hasClients }) => hasClients)) return undefined;
    return `${still} clients look for a primary, and there is none: let it pass by set.untilPrimary(), or { replsimUntilPrimary: 1 } with readPreference nearest`;
  }

  /** What a set must know that goes on with these data. */
  #remember(dbpath: string, options: ServeOptions): void {
    const { set, pacer } = this;
    const members = memberSpecs(options).map(({ name, spare }) => {
      const { port } = required(this.#ports.get(name), 'port of a member').listener;
      return { name, port, ...(spare && { spare }) };
    });
    const saved = { setName: set.setName, ip: reachOf(options).address, members };
    const clock = new SavedClock(dbpath, saved, set.epochMs, (name) => set.durable(name));
    clock.ahead(0, pacer.speed);
    pacer.onAhead((limitMicros) => clock.ahead(limitMicros, pacer.speed));
    this.#savedClock = clock;
  }

  /** For `MongoClient`. */
  get uri(): string {
    return this.uriOf();
  }

  /** For `MongoClient`. @param database the one that clients use where they name none */
  uriOf(database = ''): string {
    const members = this.setOptions.members.filter(({ spare, standalone }) => !spare && !standalone);
    const hosts = members.map(({ name }) => this.set.hostOf(name)).join(',');
    return `mongodb://${hosts}/${encodeURIComponent(database)}?replicaSet=${encodeURIComponent(this.set.setName)}${this.tls ? tlsOfUri(this.tls.material) : ''}`;
  }

  /** The users of the set, as its primary knows them. Empty without a primary. */
  users(): readonly { readonly user: string; readonly db: string }[] {
    const { primary } = this;
    if (primary === undefined) return [];
    const command = encodeDocument({ usersInfo: { forAllDBs: true }, $db: 'admin' });
    const { users = [] } = decodePromoted(this.set.ask(primary, command)) as { users?: { user: string; db: string }[] };
    return users.map(({ user, db }) => ({ user, db }));
  }

  /** Who accepts writes now; undefined if nobody does. */
  get primary(): string | undefined {
    return this.#isClosed ? undefined : primaryOf(this.set);
  }

  /** What a clock that is right shows now: virtual time, ms since 1970. It never goes back. */
  get wallMs(): number {
    return this.set.epochMs + Math.floor(this.pacer.nowMicros / 1000);
  }

  /** What a member's own clock shows now, ms since 1970. */
  wallMsOf(member: string): number {
    return Math.floor(this.set.wallMs(member, this.pacer.nowMicros));
  }

  /** What ended the set, if it did not end by `stop()`: a bug of ours, or a disk that failed. */
  get failure(): unknown {
    return this.#failure?.error;
  }

  /**
   * What the set broke, as an error that says how to see it again; undefined if everything has held.
   * @param recording where the run has been recorded, if it has been
   * @param record how a door is asked for a recording
   */
  broken(recording: string | undefined, record: string): InvariantBroken | undefined {
    const { broken } = this.invariants ?? { broken: [] };
    if (broken.length === 0) return undefined;
    const failure = this.failure === undefined ? {} : { cause: this.failure };
    return new InvariantBroken(broken, this.set.seed, this.#howToRepeat(recording, record), failure);
  }

  #howToRepeat(recording: string | undefined, record: string): string {
    if (recording !== undefined) return `replsim run ${recording} makes the same run again`;
    const again = `record the run with ${record}: replsim run FILE makes it again`;
    return this.resumed
      ? `to see it again, begin from nothing (these data are of an earlier set, and a recording cannot begin there), and ${again}`
      : `to see it again, ${again}`;
  }

  /**
   * Virtual time goes by a clock of faked timers, until they are restored.
   * @param fake makes it show at least `nowMs`, and tells when it is over, and when its timers are gone, ours too
   */
  follow<Faked>(fake: (nowMs: number, heard: { restored(): void; cleared(): void }) => [FakeClock, Faked]): Faked {
    const nowMs = Math.ceil(this.set.epochMs + this.pacer.nowMicros / 1000);
    const restored = () => this.pacer.unfollow();
    const cleared = () => this.pacer.lostTimers();
    const [clock, faked] = fake(nowMs, { restored, cleared });
    this.pacer.follow(clock, (clock.now - this.set.epochMs) * 1000);
    return faked;
  }

  /**
   * Everything due within so much virtual time happens, as fast as it goes. Who asks while another jump is under way goes on
   * where that one ends.
   * @returns where time is then, µs
   */
  advance(micros: number): Promise<number> {
    const advance = () => {
      this.dates.jumped(micros);
      return this.pacer.advance(micros);
    };
    // One that waits for no other begins at this very moment.
    const advanced = this.#advanced === undefined ? advance() : this.#advanced.then(advance);
    const over: Promise<unknown> = advanced
      .catch(() => {})
      .then(() => {
        if (this.#advanced === over) this.#advanced = undefined;
      });
    this.#advanced = over;
    return this.#whenHeard(advanced);
  }

  /**
   * Lets time pass until clients find a primary. Where the members' data are from an earlier time, the one with the newest
   * oplog is asked to stand, as an operator would: so a crash of them all loses nothing that one of them had in its journal.
   * @throws NoPrimaryError
   */
  async ready(): Promise<string> {
    if (this.resumed) {
      // A spare that never joined serves nobody, nor does a member that was removed since: they are not waited for, or not long.
      const regular = this.setOptions.members.flatMap(({ name, spare }) => (spare ? [] : [name]));
      await this.pacer.reach(() => allServe(this.set, regular), RECOVERY_LIMIT_MICROS);
      const newest = newestMember(this.set);
      if (newest !== undefined) await this.#meetConfig(newest);
      // Who refuses has its reasons; then the others elect as they do.
      if (newest !== undefined) await this.command(newest, { replSetStepUp: 1 });
    }
    const primary = await this.untilPrimary();
    // Where time stands still it does so from the beginning: what clients do first happens at the same time in each run.
    if (this.pacer.speed === 0) await this.pacer.catchUp();
    return primary;
  }

  /**
   * Lets time pass until a member accepts writes, and clients that watch it have been told.
   * @param other not this one
   * @throws NoPrimaryError if none does within `withinMicros`
   */
  untilPrimary(withinMicros: number = ELECTION_LIMIT_MICROS, other?: string): Promise<string> {
    return this.#whenHeard(this.#followed(this.#untilPrimary(withinMicros, other)));
  }

  /** Those who have only just connected to it may know it as a secondary: who is primary they ask half a second later. */
  async #followed(found: Promise<string>): Promise<string> {
    const primary = await found;
    const watched = primary === this.#announced ? undefined : this.#watched(primary);
    this.#announced = primary;
    if (watched !== undefined) await watched;
    return primary;
  }

  async #untilPrimary(withinMicros: number, other: string | undefined): Promise<string> {
    if (other !== undefined) membersOf(this, other);
    const look = whenChanged(this.set, primaryLook(this.set));
    let found: string | undefined;
    const isFound = () => {
      const primary = look();
      if (primary !== other) found ??= primary;
      return found !== undefined;
    };
    // Time may have passed since, for others who wait: who is primary now is another question.
    if ((await this.pacer.reach(isFound, withinMicros)) && found !== undefined) return found;
    throw new NoPrimaryError(this.set, withinMicros, other);
  }

  /**
   * Lets time pass until the TTL monitor of the primary has ended its next pass: one that begins from now on.
   * @throws NoTtlPassError if it ends none within `withinMicros`
   */
  untilTtlPass(withinMicros: number = TTL_LIMIT_MICROS): Promise<void> {
    return this.#whenHeard(this.#untilTtlPass(withinMicros));
  }

  async #untilTtlPass(withinMicros: number): Promise<void> {
    let watch: TtlPassWatch | undefined;
    try {
      const ended = () => {
        // Asked for the first time when the pacer has brought the set to the present.
        watch ??= new TtlPassWatch(this.set);
        return watch.ended();
      };
      if (await this.pacer.reach(ended, withinMicros)) return;
    } finally {
      watch?.close();
    }
    throw new NoTtlPassError(this.set, withinMicros);
  }

  /**
   * Sends a command to a member as a client outside would; time passes until it is answered. Without `$db` it goes to `admin`.
   * @returns the reply, promoted; a process that is not there answers with `HostUnreachable`
   */
  command(member: string, command: object): Promise<Record<string, unknown>> {
    return this.#whenHeard(this.#command(member, command));
  }

  async #command(member: string, command: object): Promise<Record<string, unknown>> {
    const asked = encodeDocument({ ...command, $db: '$db' in command ? command.$db : 'admin' });
    const bytes = this.recorder.isWriting ? passwordRemover(this.setOptions)(asked) : asked;
    const met = introducesHosts(bytes) ? this.#met(hostsIntroducedBy(bytes)) : undefined;
    if (met !== undefined) await met;
    let pending: ReturnType<ReplSet['send']> | undefined;
    await this.#input(() => {
      pending = this.set.send(member, bytes);
      this.recorder.record({ type: 'command', member, command: bytes });
    });
    await this.pacer.reach(() => pending?.reply !== undefined, ELECTION_LIMIT_MICROS);
    if (pending?.reply === undefined) throw new Error(`${member} has not answered within two minutes of virtual time`);
    return decodePromoted(pending.reply);
  }

  /**
   * Makes the primary step down; time passes until the set has another. Without `secs`, it passes first until somebody else may be elected:
   * whoever has just stepped down may not, and the next one has to.
   * @returns who that is
   * @throws CommandError with the primary's refusal; Error if nobody follows, as when `secs` keeps all others from it. Both say who may not
   *   stand, and until when
   */
  async stepDown(asked: StepDownOptions = {}): Promise<string> {
    const { secs = DEFAULT_SECS, ...options } = checkedStepDown(asked);
    const primary = await this.untilPrimary();
    if (asked.secs === undefined && !asked.force) await this.#untilHeir(primary);
    const watched = this.#watched(primary);
    if (watched !== undefined) await watched;
    try {
      await this.#asked(primary, { replSetStepDown: secs, ...commandOptions(secs, options) });
    } catch (error) {
      const barred = barredText(this.set);
      if (!(error instanceof CommandError) || error.codeName !== 'ExceededTimeLimit' || barred === undefined)
        throw error;
      throw new CommandError(
        error.code,
        `${error.message} ${barred}. Let that time pass, or step down with a shorter { secs }.`,
        error.extra,
      );
    }
    return this.untilPrimary();
  }

  /** Where those who could follow a primary are barred, time passes until the first of them is not. */
  async #untilHeir(primary: string): Promise<void> {
    const others = this.set.memberNames.filter((name) => name !== primary).map((name) => this.set.standing(name));
    const ends = others.map((each) => each.barredUntilMicros).filter((each) => each > this.set.nowMicros);
    if (ends.length === 0 || others.some(({ electable }) => electable)) return;
    const mayFollow = () => this.set.memberNames.some((name) => name !== primary && this.set.standing(name).electable);
    await this.pacer.reach(mayFollow, Math.min(...ends) - this.set.nowMicros + HEARTBEAT_MICROS);
  }

  /** Sends a command to whoever is primary. @throws CommandError with the refusal; NoPrimaryError */
  async tellPrimary(command: object): Promise<void> {
    await this.#asked(await this.untilPrimary(), command);
  }

  async #asked(member: string, command: object): Promise<void> {
    const { ok, code, errmsg } = await this.command(member, command);
    if (ok !== 1) throw new CommandError(Number(code), String(errmsg));
  }

  /** What clients were told of their writes, and what is lost of it as of now. @throws NoLedgerError where no account is kept */
  ledger(): SetLedger {
    if (!this.#ledger) throw new NoLedgerError();
    return this.#ledger.report();
  }

  /** Hosts that a config on disk names. */
  async #meetConfig(member: string): Promise<void> {
    const { config } = await this.command(member, { replSetGetConfig: 1 });
    await this.#met(hostsOf((config as { members?: readonly unknown[] } | undefined)?.members ?? []));
  }

  /**
   * Opens the ports at all addresses of this machine that these hosts name, so that clients find members by them.
   * @returns undefined if there is none to open, so that what follows can happen at this very moment
   */
  #met(hosts: readonly string[]): Promise<void> | undefined {
    const others = hosts.flatMap((host): [host: string, member: string][] => {
      const member = this.set.memberAt(host);
      return member === undefined || host === this.set.hostOf(member) ? [] : [[host, member]];
    });
    return others.length === 0 ? undefined : this.#meet(others);
  }

  async #meet(hosts: readonly [host: string, member: string][]): Promise<void> {
    for (const [host, member] of hosts) {
      const { listener } = required(this.#ports.get(member), 'port of a member');
      for (const address of await this.pacer.hold(ownAddressesOf(machineOf(host))))
        await this.pacer.hold(listener.alsoAt(address, this.set.status(member).running));
    }
  }

  /** Where the set is: for people, and for clients in other languages. */
  status(): ServedStatus {
    const { set, invariants } = this;
    const members = set.memberNames.map((name) => ({ name, host: set.hostOf(name), ...this.#processOf(name) }));
    return {
      set: set.setName,
      seed: set.seed,
      nowMicros: set.nowMicros,
      leadMicros: Math.max(0, Math.floor(this.pacer.leadMicros)),
      primary: this.primary,
      members,
      ...(invariants && { brokenInvariants: [...invariants.broken] }),
    };
  }

  /** When the set has ended, so have the processes, though nobody has shut them down. */
  #processOf(member: string): Pick<MemberStatus, 'running' | 'paused'> {
    const { running, paused } = this.set.status(member);
    return { running: running && !this.#isClosed, paused: paused && !this.#isClosed };
  }

  /**
   * Does something to the set from outside; it is done when the promise resolves. Throws what `ReplSet.fault` does.
   * A kill, a pause or a cut is put off until those who have only just connected watch the member, for a second of real time at most:
   * they could hear of a successor first.
   * @returns how many connections of clients it was about; undefined for a fault that is not about clients
   */
  act(action: FaultAction): Promise<number | undefined> {
    return this.#whenHeard(this.#act(action));
  }

  async #act(action: FaultAction): Promise<number | undefined> {
    let connections: number | undefined;
    for (const member of membersLost(action)) {
      const watched = this.#watched(member);
      // Not by a turn later than it must: a command under way could be answered meanwhile.
      if (watched !== undefined) await watched;
    }
    await this.#input(() => {
      connections = this.set.connectionsMeant(action);
      const done = this.set.fault(action);
      this.recorder.record(action);
      return done;
    });
    if (action.type === 'truncateOplog') await this.#truncated(action.member);
    return connections;
  }

  /** Those who mean to watch the member do so. @returns undefined if nobody does */
  #watched(member: string): Promise<void> | undefined {
    const watched = this.#ports.get(member)?.watched();
    return watched && this.pacer.hold(watched);
  }

  /** @throws Error if it does not come to that within two minutes of virtual time */
  async settled(member: string): Promise<void> {
    const done = await this.pacer.reach(() => unsettled(this.set, member) === undefined, SETTLE_LIMIT_MICROS);
    if (!done)
      throw new Error(`a rolling restart waits for ${member}: ${unsettled(this.set, member) ?? 'it was too slow'}`);
  }

  /** A checkpoint comes first; it does not come while the journal is held. */
  async #truncated(member: string): Promise<void> {
    const done = await this.pacer.reach(() => !this.set.status(member).truncatesOplog, SHUTDOWN_LIMIT_MICROS);
    if (!done)
      throw new Error(`${member} has waited for a checkpoint for a minute of virtual time: is its journal held?`);
  }

  /**
   * A clean shutdown of a member; time passes until its process has ended. What clients sent before they could know of it is
   * answered: quiesce mode is there for that, so it does not go by in no time at all.
   */
  async shutdown(member: string): Promise<void> {
    const watched = this.#watched(member);
    if (watched !== undefined) await watched;
    await this.#whenHeard(this.#shutdown(member));
  }

  async #shutdown(member: string): Promise<void> {
    const port = this.#ports.get(member);
    await this.act({ type: 'shutdown', member });
    const quiesces = whenChanged(this.set, () => isQuiescing(this.set, member));
    const begun = () => !this.set.status(member).running || quiesces();
    await this.pacer.reach(begun, SHUTDOWN_LIMIT_MICROS);
    if (port?.hasClients && this.set.status(member).running)
      await this.pacer.hold(new Promise((resolve) => REAL_TIME.setTimeout(() => resolve(undefined), QUIESCE_MS)));
    const ended = await this.pacer.reach(() => !this.set.status(member).running, SHUTDOWN_LIMIT_MICROS);
    if (!ended) throw new Error(`${member} has not ended within a minute of virtual time`);
  }

  /** @throws Error if it is running already; CommandError if the process refuses to start */
  async start(member: string, options?: StartOptions): Promise<void> {
    const listener = this.#ports.get(member)?.listener;
    if (listener !== undefined) await this.pacer.hold(listener.reopen());
    try {
      await this.act({ type: 'start', member, ...(options && { options }) });
    } finally {
      if (listener !== undefined && !this.set.status(member).running) listener.close();
    }
  }

  /** The process may end though nobody has stopped the set; whoever is connected, or waits for a jump, keeps it alive. */
  unref(): void {
    this.pacer.unref();
    for (const { listener } of this.#ports.values()) listener.unref();
  }

  /** Shuts all members down cleanly, if they run, and closes the ports and disks. */
  stop({ clean = false }: { readonly clean?: boolean } = {}): Promise<void> {
    this.#stopped ??= this.#stop(clean);
    return this.#stopped;
  }

  async #stop(clean: boolean): Promise<void> {
    this.standstill.end();
    // Who has only just come would take the end of its first connection for one that it may open again.
    await Promise.all(this.set.memberNames.map((name) => this.#watched(name)));
    try {
      if (clean) await this.#shutDownAll();
    } finally {
      await this.pacer.stop();
      this.#closePorts();
      await this.set.close();
      this.tls?.throwAway?.remove();
      this.#savedClock?.end(this.pacer.nowMicros);
      await this.#clientsHear();
    }
  }

  /** The secondaries first, so that the primary need not look for a successor. */
  async #shutDownAll(): Promise<void> {
    const primary = this.primary;
    const running = this.set.memberNames.filter((name) => this.set.status(name).running);
    for (const name of running) await this.act({ type: 'resume', member: name });
    for (const name of running) if (name !== primary) await this.#shutdown(name);
    if (primary !== undefined) await this.#shutdown(primary);
  }

  /**
   * The way back to whoever asked for something, whatever it was and however it ended: by then clients of this process know of each
   * connection that a member has closed, and of each primary that a member has become. A driver that takes a closed socket for an open one writes to it and waits for ever,
   * and one that hears of a successor before it hears of a death gives up.
   */
  async #whenHeard<Result>(done: Promise<Result>): Promise<Result> {
    try {
      return await done;
    } finally {
      await this.#clientsHear();
    }
  }

  async #clientsHear(): Promise<void> {
    // All that a set does may happen at once; who asks for it again and again must not keep its clients waiting for ever.
    await new Promise<void>((resolve) => REAL_TIME.setImmediate(() => resolve()));
    const deaf = [...this.#ports.values()].flatMap((port) => [port.deserted() ?? [], this.#told(port) ?? []].flat());
    if (deaf.length > 0) await this.pacer.hold(Promise.all(deaf));
  }

  /** A process that is stopped or paused says nothing more. */
  #told(port: MemberPort): Promise<void> | undefined {
    const { running, paused } = this.set.status(port.listener.member);
    return running && !paused ? port.told() : undefined;
  }

  /** @throws what `happen` throws; SetStoppedError if it does not come to that */
  #input(happen: () => Promise<void> | undefined | void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pacer.input(() => {
        try {
          const done = happen();
          if (done === undefined) resolve();
          else done.then(resolve, reject);
        } catch (error) {
          reject(error);
        }
      }, reject);
    });
  }

  /** Whoever waits has been told; clients lose their connections, as nobody will answer them. */
  #onFailure(error: unknown): void {
    this.#failure = { error };
    this.#closePorts();
  }

  #closePorts(): void {
    this.#isClosed = true;
    for (const port of this.#ports.values()) port.destroy();
  }

  /** A port is open while the process behind it runs. */
  #onProcess(member: string, how: 'killed' | 'shutdown' | 'fatal' | undefined): void {
    const port = this.#ports.get(member);
    if (how === undefined) port?.started();
    else port?.listener.close();
  }
}

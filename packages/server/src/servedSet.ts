import { CommandError, decodePromoted, encodeDocument } from '@replsim/protocol';
import { type MemberSpec, type MemberStatus, ReplSet, type ReplSetOptions, type StartOptions } from '@replsim/replset';
import { AdminDoor } from './adminDoor.ts';
import { ClientSocket } from './clientSocket.ts';
import { loopbackAddress } from './loopback.ts';
import { MemberListener } from './memberListener.ts';
import { type OutsideAction, perform } from './outsideActions.ts';
import { Pacer } from './pacer.ts';
import { primaryOf, ttlPassesOf, whenChanged } from './primary.ts';
import { Recorder } from './recorder.ts';
import { memberSpecs, type ServeOptions } from './serveOptions.ts';

/** How long a set may take to elect a primary. Unit: µs of virtual time. */
const ELECTION_LIMIT_MICROS = 120_000_000;
/** How much virtual time goes by between two looks at the TTL monitor. */
const TTL_LOOK_EVERY_MICROS = 100_000;
/** A pass a minute, by default; a monitor that is off never ends one. */
const TTL_LIMIT_MICROS = 3_600_000_000;
/** A clean shutdown: the quiesce period, and a step-down before it. */
const SHUTDOWN_LIMIT_MICROS = 60_000_000;

/** As `rs.stepDown()` has them. */
export interface StepDownOptions {
  /** How long the old primary may not be elected again. */
  readonly secs?: number;
  readonly secondaryCatchUpPeriodSecs?: number;
  readonly force?: boolean;
}

export interface ServedStatus {
  readonly set: string;
  readonly seed: number;
  /** Virtual time since the start. */
  readonly nowMicros: number;
  readonly primary: string | undefined;
  readonly members: readonly {
    readonly name: string;
    readonly host: string;
    readonly running: boolean;
    readonly paused: boolean;
  }[];
}

/** A replica set on real ports, with a clock that can be turned. */
export class ServedSet {
  readonly set: ReplSet;
  /** With which it was made. */
  readonly setOptions: ReplSetOptions;
  readonly pacer: Pacer;
  readonly recorder: Recorder;
  readonly #listeners: ReadonlyMap<string, MemberListener>;
  readonly #door = new AdminDoor(this);
  readonly #sockets = new Set<ClientSocket>();
  readonly #spares: number;
  #stopped: Promise<void> | undefined;

  /**
   * Opens the ports, starts the members and lets time pass until they have a primary (unless `initiate` is false).
   * @throws PortTakenError; RangeError for an option that makes no sense; what `ReplSet.create` throws
   */
  static async start(options: ServeOptions = {}): Promise<ServedSet> {
    const served = await ServedSet.open(options);
    try {
      if (options.initiate !== false) await served.untilPrimary();
      return served;
    } catch (error) {
      await served.stop();
      throw error;
    }
  }

  /** Like `start`, but waits for nothing; time passes from the first input on, so listeners that are added next miss nothing. */
  static async open(options: ServeOptions = {}): Promise<ServedSet> {
    const address = loopbackAddress(options.ip ?? '127.0.0.1');
    const specs = memberSpecs(options);
    const listeners: MemberListener[] = [];
    try {
      for (const [i, { name }] of specs.entries())
        listeners.push(await MemberListener.open(name, address, options.port ? options.port + i : 0));
      const members = specs.map((spec, i) => ({ ...spec, host: listeners[i]!.host }));
      const setOptions = setOptionsOf(options, members, options.epochMs ?? Date.now());
      return new ServedSet(await ReplSet.create(setOptions), setOptions, listeners, options);
    } catch (error) {
      for (const listener of listeners) listener.close();
      throw error;
    }
  }

  private constructor(
    set: ReplSet,
    setOptions: ReplSetOptions,
    listeners: readonly MemberListener[],
    { speed = 1, spares = 0 }: ServeOptions,
  ) {
    this.set = set;
    this.setOptions = setOptions;
    this.pacer = new Pacer(set, speed);
    this.recorder = new Recorder(set);
    this.#spares = spares;
    this.#listeners = new Map(listeners.map((listener) => [listener.member, listener]));
    for (const listener of listeners) this.#serve(listener);
    set.onProcess((member, how) => this.#onProcess(member, how));
  }

  /** For `MongoClient`. */
  get uri(): string {
    const { memberNames, setName } = this.set;
    const hosts = memberNames.slice(0, memberNames.length - this.#spares).map((name) => this.set.hostOf(name));
    return `mongodb://${hosts.join(',')}/?replicaSet=${encodeURIComponent(setName)}`;
  }

  /** Who accepts writes now; undefined if nobody does. */
  get primary(): string | undefined {
    return primaryOf(this.set);
  }

  /** Everything due within so much virtual time happens, as fast as it goes. @returns where time is then, µs */
  advance(micros: number): Promise<number> {
    return this.pacer.advance(micros);
  }

  /**
   * Lets time pass until a member accepts writes.
   * @param other not this one
   * @throws Error if none does within `withinMicros`
   */
  async untilPrimary(withinMicros: number = ELECTION_LIMIT_MICROS, other?: string): Promise<string> {
    const look = whenChanged(this.set, () => primaryOf(this.set));
    const found = () => {
      const primary = look();
      return primary !== undefined && primary !== other;
    };
    if (await this.pacer.reach(found, withinMicros)) return primaryOf(this.set)!;
    throw new Error(`no primary within ${withinMicros / 1e6} s of virtual time`);
  }

  /**
   * Lets time pass until the TTL monitor of the primary has ended its next pass.
   * @throws Error if it ends none within `withinMicros`
   */
  async untilTtlPass(withinMicros: number = TTL_LIMIT_MICROS): Promise<void> {
    let watched: string | undefined;
    let passes = 0;
    let lookAt = 0;
    const ended = () => {
      if (this.set.nowMicros < lookAt) return false;
      lookAt = this.set.nowMicros + TTL_LOOK_EVERY_MICROS;
      const primary = primaryOf(this.set);
      if (primary === undefined) return false;
      const now = ttlPassesOf(this.set, primary);
      if (watched === primary && now > passes) return true;
      if (watched !== primary) passes = now;
      watched = primary;
      return false;
    };
    if (await this.pacer.reach(ended, withinMicros)) return;
    throw new Error(`no TTL pass ended within ${withinMicros / 1e6} s of virtual time: is ttlMonitorEnabled off?`);
  }

  /**
   * Sends a command to a member as a client outside would; time passes until it is answered.
   * @returns the reply, promoted; a process that is not there answers with `HostUnreachable`
   */
  async command(member: string, command: object): Promise<Record<string, unknown>> {
    const bytes = encodeDocument({ ...command, $db: 'admin' });
    let pending: ReturnType<ReplSet['send']> | undefined;
    this.pacer.input(() => {
      this.recorder.record({ type: 'command', member, command: bytes });
      pending = this.set.send(member, bytes);
    });
    await this.pacer.reach(() => pending?.reply !== undefined, ELECTION_LIMIT_MICROS);
    if (pending?.reply === undefined) throw new Error(`${member} has not answered within two minutes of virtual time`);
    return decodePromoted(pending.reply);
  }

  /**
   * Makes the primary step down; time passes until the set has another.
   * @returns who that is
   * @throws CommandError with the primary's refusal; Error if nobody follows, as when `secs` keeps all others from it
   */
  async stepDown({ secs = 60, ...options }: StepDownOptions = {}): Promise<string> {
    const primary = await this.untilPrimary();
    const { ok, code, errmsg } = await this.command(primary, { replSetStepDown: secs, ...options });
    if (ok !== 1) throw new CommandError(Number(code), String(errmsg));
    return this.untilPrimary();
  }

  /** Where the set is: for people, and for clients in other languages. */
  status(): ServedStatus {
    const { set } = this;
    const members = set.memberNames.map((name) => ({ name, host: set.hostOf(name), ...pick(set.status(name)) }));
    return { set: set.setName, seed: set.seed, nowMicros: set.nowMicros, primary: this.primary, members };
  }

  /** Does something to the set from outside; it is done when the promise resolves. Throws what `perform` does. */
  act(action: OutsideAction): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pacer.input(() => {
        try {
          const done = perform(this.set, action);
          this.recorder.record(action);
          if (done === undefined) resolve();
          else done.then(resolve, reject);
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** A clean shutdown of a member; time passes until its process has ended. */
  async shutdown(member: string): Promise<void> {
    await this.act({ type: 'shutdown', member });
    const ended = await this.pacer.reach(() => !this.set.status(member).running, SHUTDOWN_LIMIT_MICROS);
    if (!ended) throw new Error(`${member} has not ended within a minute of virtual time`);
  }

  async start(member: string, options?: StartOptions): Promise<void> {
    await this.#listeners.get(member)?.reopen();
    await this.act({ type: 'start', member, ...(options && { options }) });
  }

  /** Shuts all members down cleanly, if they run, and closes the ports and disks. */
  stop({ clean = false }: { readonly clean?: boolean } = {}): Promise<void> {
    this.#stopped ??= this.#stop(clean);
    return this.#stopped;
  }

  async #stop(clean: boolean): Promise<void> {
    try {
      if (clean) await this.#shutDownAll();
    } finally {
      await this.pacer.stop();
      for (const listener of this.#listeners.values()) listener.close();
      for (const socket of this.#sockets) socket.destroy();
      await this.set.close();
    }
  }

  /** The secondaries first, so that the primary need not look for a successor. */
  async #shutDownAll(): Promise<void> {
    const primary = this.primary;
    const running = this.set.memberNames.filter((name) => this.set.status(name).running);
    for (const name of running) await this.act({ type: 'resume', member: name });
    for (const name of running) if (name !== primary) await this.shutdown(name);
    if (primary !== undefined) await this.shutdown(primary);
  }

  #serve(listener: MemberListener): void {
    const { pacer, recorder, set } = this;
    const { member } = listener;
    listener.serve((socket) => {
      const client = new ClientSocket(socket, {
        pacer,
        recorder,
        member,
        door: this.#door,
        connect: (remote, heard) => set.connect(member, remote, heard),
      });
      this.#sockets.add(client);
      socket.on('close', () => this.#sockets.delete(client));
    });
  }

  /** A port is open while the process behind it runs. */
  #onProcess(member: string, how: 'killed' | 'shutdown' | 'fatal' | undefined): void {
    if (how !== undefined) this.#listeners.get(member)?.close();
  }
}

function setOptionsOf(options: ServeOptions, members: readonly MemberSpec[], epochMs: number): ReplSetOptions {
  const { members: _members, spares: _spares, port: _port, ip: _ip, speed: _speed, ...rest } = options;
  return { ...rest, members, epochMs };
}

function pick({ running, paused }: MemberStatus): { running: boolean; paused: boolean } {
  return { running, paused };
}

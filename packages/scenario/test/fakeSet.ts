import { decodePromoted, encodeDocument, type TraceEvent } from '@replsim/protocol';
import type {
  ClientEnd,
  FaultAction,
  MemberStatus,
  PendingReply,
  ReplicaSetApi,
  ReplSetOptions,
  RunRecord,
  StartOptions,
} from '@replsim/replset';

/** A command as a test's member sees it. */
export type Command = Record<string, unknown>;
/** What a member answers; `undefined`: nothing, ever. `afterMicros`: not at once. */
export type Answer = { reply: object; afterMicros?: number } | undefined;
type Talk = (command: Command, member: string, set: FakeSet) => object | Answer | undefined;

const EPOCH_MS = Date.UTC(2025, 0, 1);

class Pending implements PendingReply {
  readonly member: string;
  readonly startedMicros: number;
  reply: Uint8Array | undefined;
  endedMicros: number | undefined;
  constructor(member: string, startedMicros: number) {
    this.member = member;
    this.startedMicros = startedMicros;
  }
}

/** A set without mongods: members answer what a test says, and time passes over what it scheduled. */
export class FakeSet implements ReplicaSetApi {
  readonly seed: number;
  readonly setName: string;
  readonly epochMs = EPOCH_MS;
  readonly memberNames: readonly string[];
  readonly options: ReplSetOptions;
  nowMicros = 0;
  changes = 0;
  closed = false;
  /** Who says it is primary, with its term. */
  readonly primaries = new Map<string, number>();
  readonly arbiters = new Set<string>();
  /** Members take sessions, as real ones do. */
  sessions = false;
  /** What else a member's hello says. */
  readonly hellos = new Map<string, object>();
  /** What was sent (not asked), in order. */
  readonly sent: { member: string; command: Command }[] = [];
  /** Faults and starts, as text. */
  readonly did: string[] = [];
  readonly statuses = new Map<string, { running: boolean; paused: boolean; mode: 'replSet' | 'standalone' }>();
  talk: Talk = () => ({ ok: 1 });
  startFails: Error | undefined;
  #looks = 0;
  readonly #due: { atMicros: number; happen: () => void }[] = [];
  readonly #listeners: ((event: TraceEvent) => void)[] = [];

  constructor(options: ReplSetOptions) {
    this.options = options;
    this.seed = options.seed ?? 1;
    this.setName = options.setName ?? 'rs0';
    this.memberNames = options.members.map(({ name }) => name);
    for (const { name, standalone } of options.members)
      this.statuses.set(name, { running: true, paused: false, mode: standalone ? 'standalone' : 'replSet' });
    this.primaries.set(this.memberNames[0]!, 1);
  }

  /** Lets something happen at an instant. */
  at(atMicros: number, happen: () => void): void {
    this.#due.push({ atMicros, happen });
    this.#due.sort((a, b) => a.atMicros - b.atMicros);
  }

  /** Nothing keeps count of what a test changes by hand, so every look finds something new. */
  standing() {
    return { electable: true, barredUntilMicros: 0 };
  }

  status(member: string): MemberStatus {
    const status = this.statuses.get(member)!;
    const saysPrimary = status.running && !status.paused && this.primaries.has(member);
    return { ...status, saysPrimary, saysArbiter: undefined, truncatesOplog: false, changes: this.#looks++ };
  }

  wallMs(member: string): number {
    return (
      EPOCH_MS +
      this.nowMicros / 1000 +
      (this.options.members.find(({ name }) => name === member)?.clock?.offsetMs ?? 0)
    );
  }

  hostOf(name: string): string {
    return `${name}:27017`;
  }

  memberAt(host: string): string | undefined {
    return this.memberNames.find((name) => this.hostOf(name) === host);
  }

  reject(): boolean {
    return false;
  }

  connect(): undefined {
    return undefined;
  }

  send(member: string, bytes: Uint8Array): PendingReply {
    const command = decodePromoted(bytes);
    this.sent.push({ member, command });
    const pending = new Pending(member, this.nowMicros);
    if (!this.status(member).running) {
      this.#answer(pending, { ok: 0, code: 6, codeName: 'HostUnreachable', errmsg: 'connection refused' });
      return pending;
    }
    const answer = this.talk(command, member, this);
    if (answer === undefined) return pending;
    const timed = 'reply' in answer ? (answer as { reply: object; afterMicros?: number }) : { reply: answer };
    if (timed.afterMicros === undefined) this.#answer(pending, timed.reply);
    else this.at(this.nowMicros + timed.afterMicros, () => this.#answer(pending, timed.reply));
    return pending;
  }

  #answer(pending: Pending, reply: object): void {
    pending.reply = encodeDocument(reply);
    pending.endedMicros = this.nowMicros;
    this.changes++;
  }

  ask(member: string, bytes: Uint8Array): Uint8Array {
    const command = decodePromoted(bytes);
    if (command.hello === 1) return encodeDocument(this.#hello(member));
    const answer = this.talk(command, member, this)!;
    return encodeDocument('reply' in answer ? (answer.reply as object) : answer);
  }

  #hello(member: string): object {
    const term = this.primaries.get(member);
    const electionId = term === undefined ? {} : { electionId: `7fffffff${String(term).padStart(16, '0')}` };
    const arbiterOnly = this.arbiters.has(member);
    return {
      ok: 1,
      isWritablePrimary: term !== undefined,
      secondary: term === undefined && !arbiterOnly,
      arbiterOnly,
      setVersion: 1,
      ...electionId,
      ...(this.sessions && {
        logicalSessionTimeoutMinutes: 30,
        setName: this.setName,
        hosts: this.memberNames.map((name) => `${name}:27017`),
      }),
      ...this.hellos.get(member),
    };
  }

  /** Reaches every member at once, wherever it stands. */
  client(_name: string, near?: string): ClientEnd {
    this.did.push(`client near ${near}`);
    const set = this;
    return {
      get nowMicros() {
        return set.nowMicros;
      },
      send: (host, command, answered) => {
        let givenUp = false;
        const look = (pending: PendingReply) => {
          if (givenUp) return;
          if (pending.reply !== undefined) answered({ kind: 'reply', reply: pending.reply });
          else set.at(set.nowMicros + 1000, () => look(pending));
        };
        const member = host.replace(':27017', '');
        const isHello = decodePromoted(command).hello === 1;
        const end = (happen: () => void) => set.at(set.nowMicros, () => givenUp || happen());
        if (!set.statuses.get(member)?.running) end(() => answered({ kind: 'refused', errmsg: 'connection refused' }));
        else if (isHello) end(() => answered({ kind: 'reply', reply: set.ask(member, command) }));
        else {
          const pending = set.send(member, command);
          end(() => look(pending));
        }
        return () => {
          givenUp = true;
        };
      },
      schedule: (afterMicros, happen) => {
        let cancelled = false;
        set.at(set.nowMicros + afterMicros, () => cancelled || happen());
        return () => {
          cancelled = true;
        };
      },
    };
  }

  async advanceTo(untilMicros: number): Promise<void> {
    while (this.#due[0] && this.#due[0].atMicros <= untilMicros) this.#next();
    this.nowMicros = untilMicros;
  }

  async runUntil(done: () => boolean, limitMicros: number): Promise<boolean> {
    for (;;) {
      if (done()) return true;
      const next = this.#due[0];
      const second = this.nowMicros + 1_000_000;
      if (next && next.atMicros <= Math.min(second, limitMicros)) this.#next();
      else if (this.nowMicros === limitMicros) return false;
      else this.nowMicros = Math.min(second, limitMicros);
    }
  }

  lookAt(atMicros: number, look: () => void): void {
    this.at(atMicros, look);
  }

  #next(): void {
    const { atMicros, happen } = this.#due.shift()!;
    this.nowMicros = atMicros;
    happen();
    this.changes++;
  }

  kill(member: string): void {
    this.fault({ type: 'kill', member });
  }

  pause(member: string): void {
    this.fault({ type: 'pause', member });
  }

  fault(action: FaultAction): Promise<void> | undefined {
    switch (action.type) {
      case 'kill':
        this.did.push(`kill ${action.member}`);
        this.statuses.get(action.member)!.running = false;
        this.primaries.delete(action.member);
        return undefined;
      case 'shutdown':
        this.did.push(`shutdown ${action.member}`);
        this.at(this.nowMicros + 1000, () => {
          this.statuses.get(action.member)!.running = false;
        });
        return undefined;
      case 'start':
        return this.#start(action.member, action.options);
      case 'pause':
      case 'resume':
        this.did.push(`${action.type} ${action.member}`);
        this.statuses.get(action.member)!.paused = action.type === 'pause';
        return undefined;
      case 'clock': {
        const { type, member, ...change } = action;
        this.did.push(`${type} ${member} ${JSON.stringify(change)}`);
        return undefined;
      }
      default: {
        const { type, ...rest } = action;
        const words = Object.values(rest).map((each) => (typeof each === 'object' ? JSON.stringify(each) : each));
        this.did.push([type, ...words].join(' '));
        return undefined;
      }
    }
  }

  async #start(member: string, options: StartOptions = {}): Promise<void> {
    this.did.push(`start ${member} ${JSON.stringify(options)}`);
    if (this.startFails) throw this.startFails;
    this.statuses.get(member)!.running = true;
  }

  record(event: RunRecord): void {
    this.tell({ atMicros: this.nowMicros, ...event });
  }
  tell(event: TraceEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
  onTrace(listener: (event: TraceEvent) => void): void {
    this.#listeners.push(listener);
    listener({
      atMicros: 0,
      type: 'runStarted',
      traceVersion: 1,
      seed: this.seed,
      version: '8.0',
      setName: this.setName,
      members: this.memberNames,
      epochMs: EPOCH_MS,
    });
  }
  async close(): Promise<void> {
    this.closed = true;
  }
}

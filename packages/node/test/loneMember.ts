import type { ClientConnection } from '@replsim/operations';
import {
  DEFAULT_COSTS,
  decodePromoted,
  type ErrorReply,
  encodeDocument,
  type HeartbeatCommand,
  type HeartbeatReply,
  type LogLine,
  type MemberCommand,
  type MemberReply,
  type MemberRequest,
  type MemberTrace,
  type OpTime,
  type RequestVotesCommand,
  type RequestVotesReply,
} from '@replsim/protocol';
import { StorageEngine } from '@replsim/storage';
import type { StartupOptions } from '../src/core/core.ts';
import type { MongodEffect, MongodEvent } from '../src/core/events.ts';
import type { Mongod } from '../src/mongod.ts';
import { startMongod } from '../src/startup.ts';

export type Doc = Record<string, unknown>;
type Answer = MemberReply | ErrorReply | 'silence';

/** What the rest of the set answers; a test overrides what it is about. */
export interface Peer {
  up: boolean;
  /** Laid over an answer of a SECONDARY that is level with the member. */
  heartbeat: Partial<HeartbeatReply> | ErrorReply | 'silence';
  vote: Partial<RequestVotesReply> | ErrorReply | 'silence';
  /** Everything else that is asked of it. */
  other: (command: MemberCommand) => Answer;
}

interface Setup {
  /** How all peers answer from the beginning; the check before `replSetInitiate` goes well in any case. */
  readonly peers?: Partial<Peer>;
  readonly parameters?: Doc;
  /** Further options of the process. */
  readonly options?: Partial<StartupOptions>;
}

interface Due {
  readonly atMicros: number;
  readonly event: MongodEvent;
  readonly timer?: string;
}

const EPOCH_MS = Date.UTC(2025, 0, 1);

/** One real mongod, `a:1`, whose set is made of answers that a test makes up. Disks cost nothing, messages a microsecond. */
export class LoneMember {
  readonly mongod: Mongod;
  readonly peers = new Map<string, Peer>();
  readonly sent: { readonly to: string; readonly atMs: number; readonly command: MemberCommand }[] = [];
  readonly responses = new Map<number, MemberReply | ErrorReply>();
  readonly replies = new Map<number, Doc>();
  readonly traces: MemberTrace[] = [];
  /** What the host adds to a timer that asks for jitter; the whole range would be too much. Unit: share of the range. */
  jitter = 0;
  /** Of clients' connections: the waits that were announced, and which connections the member has closed. */
  readonly awaiting: { readonly requestId: number; readonly forMs: number }[] = [];
  readonly closed: number[] = [];
  /** Requests without a connection that will get no answer. */
  readonly hungUp: number[] = [];
  exited = false;
  /** Called after each event that the member saw. */
  watch: () => void = () => {};
  /** The disk is asked, and does not answer. */
  holdDisk = false;
  #micros = 0;
  #due: Due[] = [];
  #held: Due[] = [];
  #nextId = 1;
  #nextConnectionId = 1;

  constructor(parameters: Doc = {}, options: Partial<StartupOptions> = {}) {
    this.mongod = startMongod(
      {
        host: 'a:1',
        mode: 'replSet',
        setName: 'rs0',
        version: '8.0',
        parameters,
        costs: DEFAULT_COSTS,
        oplogSizeBytes: 1_000_000,
        oplogMinRetentionHours: 0,
        idSeed: [1, 2],
        processId: new Uint8Array(12),
        tracing: true,
        ...options,
      },
      { engine: new StorageEngine(), metadata: undefined, journal: [], nextSegment: 1, files: [] },
    );
    this.#see({ type: 'started' });
  }

  /** A set of `a:1` and so many others, `b:1`, `c:1` …, initiated on this member and not yet elected. */
  static initiated(
    others: number,
    config: Doc = {},
    { peers = {}, parameters = {}, options = {} }: Setup = {},
  ): LoneMember {
    const member = new LoneMember(parameters, options);
    const names = ['a:1', ...['b:1', 'c:1', 'd:1', 'e:1', 'f:1', 'g:1'].slice(0, others)];
    for (const host of names.slice(1)) member.peers.set(host, { ...peer(), ...peers });
    const { members: changes = {}, ...rest } = config as { members?: Record<string, Doc> };
    const members = names.map((host, _id) => ({ _id, host, ...changes[host] }));
    const reply = member.run({ replSetInitiate: { _id: 'rs0', version: 1, members, ...rest } });
    if (reply.ok !== 1) throw new Error(`it was not initiated: ${reply.errmsg}`);
    return member;
  }

  /** The same, elected and accepting writes. */
  static primary(others: number, config: Doc = {}, setup: Setup = {}): LoneMember {
    const member = LoneMember.initiated(others, config, setup);
    for (let i = 0; i < 30 && !member.mongod.acceptsWrites(); i++) member.advance(1000);
    if (!member.mongod.acceptsWrites()) throw new Error('it was not elected');
    return member;
  }

  get repl() {
    return this.mongod.repl!;
  }

  get nowMs(): number {
    return this.#micros / 1000;
  }

  get nowMicros(): number {
    return this.#micros;
  }

  get lines(): LogLine[] {
    return this.traces.flatMap((event) => (event.type === 'log' ? [event.line] : []));
  }

  logged(id: number): LogLine[] {
    return this.lines.filter((line) => line.id === id);
  }

  // --- clients ---

  /** Sends a command to `admin`; the answer is in `replies` once it is there. */
  send(command: Doc, db = 'admin'): number {
    const requestId = this.#nextId++;
    this.#see({ type: 'command', requestId, command: encodeDocument({ ...withLongId(command), $db: db }) });
    return requestId;
  }

  /** Opens a connection. @returns its id */
  open(remote = '127.0.0.1:50001'): number {
    const connectionId = this.#nextConnectionId++;
    this.#see({ type: 'connectionOpened', connectionId, remote });
    return connectionId;
  }

  /** Its port has no room for a connection. */
  reject(remote: string): void {
    this.#see({ type: 'connectionRejected', remote });
  }

  /** Sends a command to `admin` on a connection, as a real client does, which counts its patience itself. */
  sendOn(connectionId: number, command: Doc, flags: ClientConnection = {}, db = 'admin'): number {
    const requestId = this.#nextId++;
    const bytes = encodeDocument({ ...withLongId(command), $db: db });
    this.#see({ type: 'command', requestId, command: bytes, connectionId, awaitsOutside: true, ...flags });
    return requestId;
  }

  /** Sends what a client wrote byte by byte. */
  sendBytes(connectionId: number, command: Uint8Array): number {
    const requestId = this.#nextId++;
    this.#see({ type: 'command', requestId, command, connectionId, awaitsOutside: true });
    return requestId;
  }

  runOn(connectionId: number, command: Doc, db = 'admin'): Doc {
    return this.reply(this.sendOn(connectionId, command, {}, db));
  }

  close(connectionId: number): void {
    this.#see({ type: 'connectionClosed', connectionId });
  }

  awaitEnded(requestId: number): void {
    this.#see({ type: 'awaitEnded', requestId });
  }

  /** Lets time pass until the answer is there, at most so long. */
  reply(requestId: number, withinMs = 60_000): Doc {
    for (let i = 0; i < withinMs && !this.replies.has(requestId); i++) this.advance(1);
    const reply = this.replies.get(requestId);
    if (!reply) throw new Error(`no answer within ${withinMs} ms`);
    return reply;
  }

  run(command: Doc, db?: string): Doc {
    return this.reply(this.send(command, db));
  }

  hello(): Doc {
    return decodePromoted(
      this.mongod.ask(encodeDocument({ hello: 1, $db: 'admin' }), { monotonicMicros: this.#micros, wallMs: EPOCH_MS }),
    ) as Doc;
  }

  get counter(): number {
    return this.repl.topology.topologyVersion;
  }

  // --- other members ---

  /** A request of another member. @returns the answer, undefined while there is none */
  ask(from: string, channel: MemberRequest['channel'], command: MemberCommand): MemberReply | ErrorReply | undefined {
    const id = this.#nextId++;
    this.#see({ type: 'message', message: { kind: 'request', id, from, to: 'a:1', channel, command } });
    return this.responses.get(id);
  }

  heartbeat(from: string, change: Partial<HeartbeatCommand> = {}): HeartbeatReply | ErrorReply {
    const { config, term } = this.repl.topology;
    const command: HeartbeatCommand = {
      replSetHeartbeat: 'rs0',
      configVersion: config?.version ?? 1,
      configTerm: config?.term ?? 0,
      from,
      fromId: config?.members.findIndex(({ host }) => host === from) ?? -1,
      term,
      primaryId: -1,
      ...change,
    };
    return this.ask(from, 'heartbeat', command) as HeartbeatReply | ErrorReply;
  }

  vote(candidateIndex: number, change: Partial<RequestVotesCommand> = {}): RequestVotesReply | ErrorReply | undefined {
    const { topology, positions } = this.repl;
    const command: RequestVotesCommand = {
      replSetRequestVotes: 1,
      setName: 'rs0',
      dryRun: false,
      term: topology.term + 1,
      candidateIndex,
      configVersion: topology.config?.version ?? 1,
      configTerm: topology.config?.term ?? 0,
      lastWrittenOpTime: positions.written.opTime,
      lastAppliedOpTime: positions.applied.opTime,
      ...change,
    };
    const from = topology.config?.members[candidateIndex]?.host ?? 'b:1';
    return this.ask(from, 'vote', command) as RequestVotesReply | ErrorReply | undefined;
  }

  /** The requests of one kind that went out, to one host or to all. */
  asked(kind: string, to?: string) {
    return this.sent.filter(({ command, to: host }) => kind in command && (to === undefined || host === to));
  }

  signal(): void {
    this.#see({ type: 'terminate' });
  }

  /** The disk answers what it was asked meanwhile. */
  releaseDisk(): void {
    this.holdDisk = false;
    for (const { event } of this.#held.splice(0)) this.#see(event);
  }

  // --- time ---

  advance(ms: number): void {
    const until = this.#micros + ms * 1000;
    for (;;) {
      const next = this.#earliest(until);
      if (!next) break;
      this.#take(next);
    }
    this.#micros = until;
  }

  /** Lets time pass up to the very event that makes it so. @returns when that is, µs */
  until(holds: () => boolean, withinMs = 100_000): number {
    const latest = this.#micros + withinMs * 1000;
    while (!holds()) {
      const next = this.#earliest(latest);
      if (!next) throw new Error(`did not come to pass within ${withinMs} ms`);
      this.#take(next);
    }
    return this.#micros;
  }

  #take(due: Due): void {
    this.#due.splice(this.#due.indexOf(due), 1);
    this.#micros = Math.max(this.#micros, due.atMicros);
    if (due.event.type === 'diskDone' && this.holdDisk) this.#held.push(due);
    else this.#see(due.event);
  }

  #earliest(until: number): Due | undefined {
    let earliest: Due | undefined;
    for (const due of this.#due)
      if (due.atMicros <= until && due.atMicros < (earliest?.atMicros ?? Infinity)) earliest = due;
    return earliest;
  }

  #see(event: MongodEvent): void {
    if (this.exited) return;
    const now = { monotonicMicros: this.#micros, wallMs: EPOCH_MS + Math.floor(this.#micros / 1000) };
    for (const effect of this.mongod.step(event, now)) this.#perform(effect);
    this.watch();
  }

  #later(event: MongodEvent, afterMicros: number, timer?: string): void {
    this.#due.push({ atMicros: this.#micros + afterMicros, event, ...(timer !== undefined && { timer }) });
  }

  #forgetTimer(key: string): void {
    this.#due = this.#due.filter(({ timer }) => timer !== key);
  }

  #perform(effect: MongodEffect): void {
    switch (effect.type) {
      case 'setTimer':
        this.#forgetTimer(effect.key);
        return this.#later(
          { type: 'timer', key: effect.key },
          effect.afterMicros + Math.floor((effect.jitterMicros ?? 0) * this.jitter),
          effect.key,
        );
      case 'cancelTimer':
        return this.#forgetTimer(effect.key);
      case 'writeJournal':
      case 'writeCheckpoint':
        return this.#later({ type: 'diskDone', ticket: effect.ticket }, 1);
      case 'reply':
        this.replies.set(effect.requestId, decodePromoted(effect.reply) as Doc);
        return;
      case 'awaiting':
        this.awaiting.push(effect);
        return;
      case 'closeConnection':
        this.closed.push(effect.connectionId);
        return;
      case 'hangUp':
        this.hungUp.push(effect.requestId);
        return;
      case 'trace':
        this.traces.push(effect.event);
        return;
      case 'exit':
        this.exited = true;
        return;
      case 'send':
        if (effect.message.kind === 'response') this.responses.set(effect.message.id, effect.message.reply);
        else this.#answer(effect.message);
    }
  }

  #answer({ id, to, channel, command }: MemberRequest): void {
    this.sent.push({ to, atMs: this.nowMs, command });
    const reply = this.#answerOf(this.peers.get(to), command);
    if (reply === 'silence') return;
    this.#later({ type: 'message', message: { kind: 'response', id, from: to, to: 'a:1', channel, reply } }, 1);
  }

  #answerOf(asked: Peer | undefined, command: MemberCommand): Answer {
    if (!asked?.up) return { ok: 0, code: 6, errmsg: 'Connection refused' };
    if ('replSetHeartbeat' in command) return this.#heartbeatAnswer(asked, command as HeartbeatCommand);
    if ('replSetRequestVotes' in command) {
      if (asked.vote === 'silence' || 'code' in asked.vote) return asked.vote as Answer;
      return { ok: 1, term: (command as RequestVotesCommand).term, voteGranted: true, reason: '', ...asked.vote };
    }
    return asked.other(command);
  }

  #heartbeatAnswer({ heartbeat }: Peer, { configVersion, configTerm, term, checkEmpty }: HeartbeatCommand): Answer {
    if (!checkEmpty && (heartbeat === 'silence' || 'code' in heartbeat)) return heartbeat as Answer;
    const { opTime, wallMs } = this.repl.positions.applied;
    const level = { opTime, writtenOpTime: opTime, durableOpTime: opTime };
    const $replData = this.repl.topology.replData();
    return {
      ok: 1,
      set: 'rs0',
      state: 'SECONDARY',
      // Before it is initiated nobody has a config.
      ...(checkEmpty ? { v: -2, configTerm: -1 } : { v: configVersion, configTerm }),
      term: Math.max(term, this.repl.topology.term),
      primaryId: -1,
      electable: true,
      ...level,
      wallTimeMs: wallMs,
      writtenWallTimeMs: wallMs,
      durableWallTimeMs: wallMs,
      $replData,
      ...(checkEmpty && { hasData: false }),
      ...(!checkEmpty && (heartbeat as Partial<HeartbeatReply>)),
    } as HeartbeatReply;
  }
}

export function peer(): Peer {
  return { up: true, heartbeat: {}, vote: {}, other: () => ({ ok: 0, code: 6, errmsg: 'not in this test' }) };
}

/** A heartbeat's answer of a member that has everything up to this. */
export function holding(opTime: OpTime): Partial<HeartbeatReply> {
  return { opTime, writtenOpTime: opTime, durableOpTime: opTime };
}

/** The id of a cursor, which a decoded reply shows as a number of JavaScript, as the int64 that it is. */
function withLongId(command: Doc): Doc {
  return typeof command.getMore === 'number' ? { ...command, getMore: BigInt(command.getMore) } : command;
}

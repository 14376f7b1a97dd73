import {
  DEFAULT_MEMBER_CONFIG,
  DEFAULT_SETTINGS,
  encodeDocument,
  type MemberState,
  NULL_OP_TIME,
  OplogEntry,
  type OpTime,
  type OpType,
  type ReplSetConfig,
  type StreamedEvent,
  type Term,
  TRACE_VERSION,
  type TraceEvent,
  type TraceEventType,
} from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { type Checker, Checkers } from '../src/index.ts';
import type { Void } from '../src/voids.ts';

export const EPOCH_SECS = Date.UTC(2025, 0, 1) / 1000;

type EventOf<T extends TraceEventType> = Extract<TraceEvent, { readonly type: T }>;
type Fields<T extends TraceEventType> = Omit<EventOf<T>, 'type' | 'member' | 'atMicros'>;

/** An event at a time that no checker looks at. */
function event<T extends TraceEventType>(type: T, member: string, fields: Fields<T>): TraceEvent {
  return { atMicros: 0, type, member, ...fields } as unknown as TraceEvent;
}

export const runStarted: TraceEvent = {
  atMicros: 0,
  type: 'runStarted',
  traceVersion: TRACE_VERSION,
  seed: 1,
  version: '8.0',
  setName: 'rs0',
  members: ['n1', 'n2', 'n3'],
  epochMs: EPOCH_SECS * 1000,
};

/** `(secs,1 tTERM)`, as messages write it. */
export function at(secs: number, t: Term, i = 1): OpTime {
  return { ts: { t: EPOCH_SECS + secs, i }, t };
}

/** `{msg: MSG}` as BSON. */
function msgDocument(msg: string): Uint8Array {
  const text = new TextEncoder().encode(msg);
  const bytes = new Uint8Array(4 + 1 + 4 + 4 + text.length + 1 + 1);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, bytes.length, true);
  bytes.set([2, ...new TextEncoder().encode('msg'), 0], 4);
  view.setInt32(9, text.length + 1, true);
  bytes.set(text, 13);
  return bytes;
}

const EMPTY = Uint8Array.of(5, 0, 0, 0, 0);

export function entry(opTime: OpTime, op: OpType = 'i'): OplogEntry {
  return new OplogEntry({ op, ns: op === 'n' ? '' : 'app.things', o: EMPTY }, opTime, 0);
}
/** An operation on a namespace, for who looks at nothing else. */
export function about(opTime: OpTime, op: OpType, ns: string): OplogEntry {
  return new OplogEntry({ op, ns, o: EMPTY }, opTime, 0);
}
export function noop(opTime: OpTime, msg: string): OplogEntry {
  return new OplogEntry({ op: 'n', ns: '', o: msgDocument(msg) }, opTime, 0);
}
export const newPrimary = (opTime: OpTime) => noop(opTime, 'new primary');
/** The end of a transaction whose last entry never came. */
export function abort(opTime: OpTime): OplogEntry {
  return new OplogEntry({ op: 'c', ns: 'admin.$cmd', o: encodeDocument({ abortTransaction: 1 }) }, opTime, 0);
}

export const started = (member: string, fields: Partial<Fields<'processStarted'>> = {}) =>
  event('processStarted', member, {
    mode: 'replSet',
    hasReplSetConfig: true,
    ttlMonitorStarted: true,
    lastApplied: NULL_OP_TIME,
    term: 0,
    dataHash: [0, 0],
    ...fields,
  });
export const stopped = (member: string, how: 'killed' | 'shutdown' | 'fatal' = 'killed') =>
  event('processStopped', member, { how });
export const won = (member: string, term: Term, lastApplied: OpTime = NULL_OP_TIME) =>
  event('electionWon', member, { term, votes: 2, lastApplied });
export const accepts = (member: string, value: boolean, term: Term) => event('acceptsWrites', member, { value, term });
export const steppedDown = (member: string, term: Term) => event('steppedDown', member, { term, reason: 'test' });
export const termChanged = (member: string, from: Term, to: Term) => event('termChanged', member, { from, to });
export const stateChanged = (member: string, from: MemberState, to: MemberState, term: Term) =>
  event('stateChanged', member, { from, to, term });
/** No checker looks at what is claimed. */
const CLAIM = { lastWritten: NULL_OP_TIME, lastApplied: NULL_OP_TIME, configVersion: 1, configTerm: 1 };

export const voted = (member: string, candidate: string, term: Term, fields: Partial<Fields<'voteAnswered'>> = {}) =>
  event('voteAnswered', member, {
    candidate,
    term,
    dryRun: false,
    granted: true,
    reason: '',
    lastVoteTerm: term,
    claim: CLAIM,
    own: CLAIM,
    ownTerm: term,
    ...fields,
  });
export const votePersisted = (member: string, candidate: string, term: Term) =>
  event('votePersisted', member, { candidate, term });

/** The only transaction of the traces here, unless they say another number. */
const LSID = Uint8Array.of(1, 2, 3);
/** An entry of a transaction of so many inserts; `count` stands in the last of several. */
export function link(
  opTime: OpTime,
  size: number,
  last: { count?: number; txnNumber?: bigint } | 'partial',
  prevOpTime = NULL_OP_TIME,
): OplogEntry {
  const more = last === 'partial' ? { partialTxn: true } : last;
  const transaction = { lsid: LSID, txnNumber: 1n, ...more };
  const inserts = Array.from({ length: size }, () => ({ op: 'i', ns: 'app.things', o: EMPTY }) as const);
  return new OplogEntry({ op: 'c', ns: 'admin.$cmd', o: EMPTY, transaction }, opTime, 0, inserts, prevOpTime);
}
/** The entry by which a new primary gives the transaction up. */
export function givesUp(opTime: OpTime, prevOpTime: OpTime): OplogEntry {
  const transaction = { lsid: LSID, txnNumber: 1n };
  return new OplogEntry({ op: 'c', ns: 'admin.$cmd', o: EMPTY, transaction }, opTime, 0, undefined, prevOpTime);
}

/** Entries or opTimes (of inserts) in a member's oplog. */
function written(
  member: string,
  fields: Omit<Fields<'oplogWritten'>, 'entries'>,
  what: readonly (OpTime | OplogEntry)[],
) {
  const entries = what.map((one) => (one instanceof OplogEntry ? one : entry(one)));
  return event('oplogWritten', member, { ...fields, entries });
}
export const wrote = (member: string, ...what: readonly (OpTime | OplogEntry)[]) =>
  written(member, { origin: 'self', acceptsWrites: true }, what);
/** Entries of one transaction, in data that were these before. */
export const wroteChain = (member: string, hash: number, ...entries: readonly OplogEntry[]) =>
  written(member, { origin: 'self', acceptsWrites: true, documentsHash: [hash, 0] }, entries);
export const wroteClosed = (member: string, ...what: readonly (OpTime | OplogEntry)[]) =>
  written(member, { origin: 'self', acceptsWrites: false }, what);
export const fetched = (member: string, ...what: readonly (OpTime | OplogEntry)[]) =>
  written(member, { origin: 'fetched', acceptsWrites: false }, what);
export const flushed = (member: string, opTime: OpTime) => event('journalFlushed', member, { opTime });
export const applied = (member: string, opTime: OpTime, hash = 0, stable?: OpTime) =>
  event('applied', member, { opTime, entries: 1, ...(stable && { stable }), dataHash: [hash, 0] });
/** At an entry of a transaction that is to change no document. */
export const appliedWithin = (member: string, opTime: OpTime, documents: number) =>
  event('applied', member, { opTime, entries: 1, dataHash: [0, 0], documentsHash: [documents, 0] });
export const committed = (member: string, opTime: OpTime) =>
  event('commitPoint', member, { opTime, learned: false, term: opTime.t });
export const learned = (member: string, opTime: OpTime, term: Term = opTime.t) =>
  event('commitPoint', member, { opTime, learned: true, term });
/** A commit point that comes with the stable optime. */
export const stabilized = (member: string, opTime: OpTime, stable: OpTime) =>
  event('commitPoint', member, { opTime, learned: true, term: opTime.t, stable });
export const acknowledged = (member: string, opTime: OpTime, majority = true) =>
  event('writeAcknowledged', member, { opTime, w: majority ? 'majority' : 1, majority });
export const appliedWithIndexes = (member: string, opTime: OpTime, indexes: number) =>
  event('applied', member, { opTime, entries: 1, dataHash: [0, 0], indexHash: [indexes, 0] });
export const indexReady = (member: string, keys: number, drawn: number) =>
  event('indexesReady', member, { ns: 'app.things', indexes: [{ name: 'a_1', keys, drawn }] });
export const initialSync = (member: string, phase: Fields<'initialSync'>['phase']) =>
  event('initialSync', member, { phase });
export const rollbackStarted = (member: string) => event('rollbackStarted', member, { source: 'n2' });
export const rollbackIdRaised = (member: string, rbid: number) => event('rollbackIdRaised', member, { rbid });
export const rolledBack = (
  member: string,
  commonPoint: OpTime,
  removed: readonly OpTime[],
  more: Partial<Fields<'rolledBack'>> = {},
) =>
  event('rolledBack', member, {
    commonPoint,
    from: removed.at(-1) ?? commonPoint,
    removedEntries: removed.map((opTime) => entry(opTime)),
    commitPoint: NULL_OP_TIME,
    rbid: 2,
    dataHash: [0, 0],
    ...more,
  });

export const removed = (member: string, fields: Partial<Fields<'documentsRemoved'>> = {}) =>
  event('documentsRemoved', member, {
    ns: 'app.sessions',
    count: 2,
    by: 'client',
    memberState: 'PRIMARY',
    acceptsWrites: true,
    ...fields,
  });

/** A batch of one document that expired this very millisecond. */
export const WALL_MS = Date.UTC(2025, 0, 1, 1);
export const ttlDeleted = (member: string, fields: Partial<Fields<'ttlDeleted'>> = {}) =>
  event('ttlDeleted', member, {
    ns: 'app.sessions',
    index: 'ttl',
    expireAfterSeconds: 60,
    wallMs: WALL_MS,
    limitMs: WALL_MS - 60_000,
    dates: [WALL_MS - 60_000],
    acceptsWrites: true,
    standaloneOnReplSetData: false,
    ...fields,
  });
export const streamOpened = (stream: string, ns: string, more: { resumed?: boolean; selective?: boolean } = {}) =>
  event('streamOpened', 'n1', { stream, server: 'n1', ns, resumed: false, selective: false, ...more });
/** An event and when it was committed; the token sorts by that, and by `n` within. */
export const shown = (operationType: string, { ts }: OpTime, n = 0): StreamedEvent => ({
  operationType,
  ns: 'app.things',
  clusterTime: ts,
  token: `82${ts.t.toString(16)}0${ts.i}0${n}`,
});
export const showed = (stream: string, ...events: readonly StreamedEvent[]) =>
  event('streamShowed', 'n1', { stream, server: 'n1', events });
export const fsyncLocked = (member: string, locked = true) => event('fsyncLockChanged', member, { locked });
export const ttlPassEnded = (member: string) =>
  event('ttlPassEnded', member, {
    deleted: 1,
    byIndex: [],
    subPasses: 1,
    memberState: 'PRIMARY',
    acceptsWrites: true,
  });
export const clockJumped = (member: string, jumpMs: number) =>
  event('clockChanged', member, { jumpMs, wallMs: WALL_MS + jumpMs });

export function config(fields: Partial<ReplSetConfig> = {}): ReplSetConfig {
  return {
    _id: 'rs0',
    version: 1,
    term: 1,
    members: [1, 2, 3].map((n) => ({ ...DEFAULT_MEMBER_CONFIG, _id: n - 1, host: `n${n}:27017` })),
    writeConcernMajorityJournalDefault: true,
    settings: { ...DEFAULT_SETTINGS, replicaSetId: '0123456789abcdef01234567' },
    ...fields,
  };
}
export const configInstalled = (member: string, installed: ReplSetConfig, forced = false) =>
  event('configInstalled', member, { config: installed, forced });

/** A config of these voters; names are `n1`, `n2` …, ids count from 0 by the name. */
export function configOf(version: number, term: Term, ...names: readonly string[]): ReplSetConfig {
  const members = names.map((name) => ({
    ...DEFAULT_MEMBER_CONFIG,
    _id: Number(name.slice(1)) - 1,
    host: `${name}:27017`,
  }));
  return config({ version, term, members });
}
export const read = (member: string, level: string, readAt: OpTime, fields: Partial<Fields<'readAnswered'>> = {}) =>
  event('readAnswered', member, { level, readAt, startedMicros: 0, ...fields });
export const snapshotRead = (member: string, opTime: OpTime, hash: number, txnNumber?: number) =>
  event('snapshotRead', member, { opTime, dataHash: [hash, 0], ...(txnNumber !== undefined && { txnNumber }) });
export const raised = (member: string, counter: number) => event('topologyVersionRaised', member, { counter });
/** The same event, at another time. */
export const later = (atMicros: number, what: TraceEvent): TraceEvent => ({ ...what, atMicros });

/** Runs a trace past one checker. */
export function verdict(checker: Checker, events: readonly TraceEvent[]): Checkers {
  const checkers = new Checkers([checker]);
  for (const each of [runStarted, ...events]) checkers.observe(each);
  return checkers;
}

export interface Cases {
  /** Traces that keep the invariant. */
  readonly holds: Readonly<Record<string, readonly TraceEvent[]>>;
  /** Traces that break it, with their last event and not before, and what is said about it. */
  readonly fires: Readonly<Record<string, { readonly events: readonly TraceEvent[]; readonly detail: string }>>;
}

/** What takes a promise away, as a trace shows it. */
const VOIDS: Readonly<Record<Void, readonly TraceEvent[]>> = {
  forcedReconfig: [configInstalled('n9', configOf(99_999, -1, 'n9'), true)],
  fewDataBearers: [
    configInstalled('n9', {
      ...configOf(2, 1, 'n8', 'n9'),
      members: configOf(2, 1, 'n8', 'n9').members.map((member, i) => ({ ...member, arbiterOnly: i > 0 })),
    }),
  ],
  unjournaledMajority: [
    configInstalled('n9', config({ writeConcernMajorityJournalDefault: false })),
    event('processStopped', 'n9', { how: 'killed' }),
  ],
  lyingDisk: [event('diskChanged', 'n9', { lost: true }), event('processStopped', 'n9', { how: 'killed' })],
};

/**
 * The tests that each checker has: silent on what is legal, loud on each way in which it can be broken, and silent on that
 * too once it is void.
 */
export function checkerTest(create: () => Checker, { holds, fires }: Cases): void {
  describe(create.name, () => {
    test('bears its name', () => expect(create().name).toBe(create.name));
    test.for(Object.entries(holds))('holds: %s', ([, events]) => {
      expect(verdict(create(), events).violations).toEqual([]);
    });
    expect(Object.keys(fires)).not.toEqual([]);
    const { voidedBy = [] } = create();
    test.for(voidedBy.flatMap((taken) => Object.keys(fires).map((name) => [taken, name] as const)))(
      'holds after %s: %s',
      ([taken, name]) => {
        expect(verdict(create(), [...VOIDS[taken], ...fires[name]!.events]).violations).toEqual([]);
      },
    );
    test.for(Object.entries(fires))('fires: %s', ([, { events, detail }]) => {
      const { violations } = verdict(create(), events);
      expect(violations).toEqual([{ name: create.name, detail, event: events.at(-1) }]);
    });
  });
}

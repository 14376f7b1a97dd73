import {
  encodeDocument,
  type MemberTrace,
  NULL_OP_TIME,
  OplogEntry,
  type OpTime,
  type ReplSetConfig,
  type RunEvent,
  type TraceEvent,
} from '@replsim/protocol';
import { Binary } from 'bson';

/** The entry number `i` of a term. */
export const at = (t: number, i: number): OpTime => ({ ts: { t: 100, i }, t });
export const LSID = '00112233445566778899aabbccddeeff';

const lsid = encodeDocument({
  id: new Binary(
    Uint8Array.from(LSID.match(/../g)!, (hex) => Number.parseInt(hex, 16)),
    4,
  ),
});

/** Nobody here looks at what is claimed. */
const CLAIM = { lastWritten: NULL_OP_TIME, lastApplied: NULL_OP_TIME, configVersion: 1, configTerm: 1 };

/** An insert of `{ _id }` into app.c; of a retryable write if it has a number. */
export function insertOf(opTime: OpTime, id: number, txnNumber?: number): OplogEntry {
  const statement = txnNumber === undefined ? undefined : { lsid, txnNumber: BigInt(txnNumber), stmtId: 0 };
  return new OplogEntry({ op: 'i', ns: 'app.c', o: encodeDocument({ _id: id }), statement }, opTime, 0);
}

export function noop(opTime: OpTime): OplogEntry {
  return new OplogEntry({ op: 'n', ns: '', o: encodeDocument({ msg: 'new primary' }) }, opTime, 0);
}

/** A trace that a test writes down, event after event; what observes it sees each at once. */
export class Tracing {
  nowMicros = 0;
  readonly #observe: (event: TraceEvent) => void;

  constructor(observe: (event: TraceEvent) => void) {
    this.#observe = observe;
  }

  /** The next events happen then, in seconds. */
  time(seconds: number): void {
    this.nowMicros = Math.round(seconds * 1e6);
  }

  run(event: RunEvent): void {
    this.#observe({ atMicros: this.nowMicros, ...event });
  }

  member(member: string, event: MemberTrace): void {
    this.#observe({ atMicros: this.nowMicros, member, ...event });
  }

  config(...names: string[]): void {
    this.member(names[0]!, { type: 'configInstalled', config: configOf(1, 1, names), forced: false });
  }

  /** A member installs a config of these members by force. */
  forces(member: string, version: number, ...names: string[]): void {
    this.member(member, { type: 'configInstalled', config: configOf(version, -1, names), forced: true });
  }

  /** A member wins a term with these votes besides its own, and writes its first entry. */
  elects(member: string, term: number, voters: readonly string[], i: number): void {
    for (const voter of voters)
      this.member(voter, {
        type: 'voteAnswered',
        candidate: `${member}:27017`,
        term,
        dryRun: false,
        granted: true,
        reason: '',
        lastVoteTerm: term,
        claim: CLAIM,
        own: CLAIM,
        ownTerm: term,
      });
    this.member(member, { type: 'electionWon', term, votes: voters.length + 1, lastApplied: NULL_OP_TIME });
    this.writes(member, noop(at(term, i)));
  }

  writes(member: string, ...entries: OplogEntry[]): void {
    this.member(member, { type: 'oplogWritten', entries, origin: 'self', acceptsWrites: true });
  }

  fetches(member: string, ...entries: OplogEntry[]): void {
    this.member(member, { type: 'oplogWritten', entries, origin: 'fetched', acceptsWrites: false });
  }

  flushes(member: string, opTime: OpTime): void {
    this.member(member, { type: 'journalFlushed', opTime });
  }

  rollsBack(member: string, from: OpTime, commonPoint: OpTime): void {
    this.member(member, {
      type: 'rolledBack',
      commonPoint,
      from,
      removedEntries: [],
      commitPoint: commonPoint,
      rbid: 2,
      dataHash: [0, 0],
    });
  }

  starts(member: string, lastApplied: OpTime): void {
    this.member(member, {
      type: 'processStarted',
      mode: 'replSet',
      hasReplSetConfig: true,
      ttlMonitorStarted: true,
      lastApplied,
      term: 1,
      dataHash: [0, 0],
    });
  }
}

function configOf(version: number, term: number, names: readonly string[]): ReplSetConfig {
  const members = names.map((name, _id) => ({ _id, host: `${name}:27017`, arbiterOnly: false, votes: 1 }));
  return { _id: 'rs0', version, term, members } as unknown as ReplSetConfig;
}

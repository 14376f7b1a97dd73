import { noopOperation } from '@replsim/oplog';
import {
  encodeDocument,
  type HeartbeatReply,
  type MemberCommand,
  type MemberReply,
  OplogEntry,
  type OplogReply,
  type OpTime,
} from '@replsim/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, holding, LoneMember, peer } from '../loneMember.ts';

// A new member `a:1` copies from the primary `b:1`, which has an oplog and no data; a test changes one of its answers.

const at = (secs: number, t = 1): OpTime => ({ ts: { t: secs, i: 1 }, t });
const entry = (opTime: OpTime) => new OplogEntry(noopOperation('more'), opTime, opTime.ts.t * 1000);

let member: LoneMember;
let rbid: number;
let entries: OplogEntry[];
/** What a cursor on the oplog gives at once, attempt by attempt; there is no more of it. */
let firstBatches: OplogEntry[][];
/** Called when the source was asked so. */
let onAsked: (command: MemberCommand) => void;

function answer(command: MemberCommand): MemberReply | undefined {
  onAsked(command);
  if ('replSetGetRBID' in command) return { ok: 1, rbid };
  if ('limit' in command) return { ok: 1, first: entries[0]?.opTime, lastEntry: entries.at(-1), rbid };
  if ('runCommand' in command) return { ok: 1, reply: encodeDocument({ ...cloned, ok: 1 }) };
  return 'tailable' in command ? oplogReply(firstBatches.shift()!) : undefined;
}

/** Fits every command of the copy: there are no databases, and no initial sync id. */
const cloned: Doc = { databases: [], cursor: { id: 0n, ns: 'local.x', firstBatch: [] } };

function oplogReply(batch: OplogEntry[]): OplogReply {
  const $replData = { ...member.repl.topology.replData(), term: 1, primaryIndex: 1, isPrimary: true };
  const position = { lastOpApplied: entries.at(-1)!.opTime, lastOpWritten: entries.at(-1)!.opTime };
  return {
    ok: 1,
    cursorId: 7,
    batch,
    $replData,
    $oplogQueryData: { ...$replData, ...position, rbid, syncSourceHost: '' },
  };
}

function join(): void {
  const config = LoneMember.initiated(2).repl.topology.config!;
  member = new LoneMember();
  const primary: Partial<HeartbeatReply> = { state: 'PRIMARY', term: 1, electionTime: { t: 1, i: 1 }, config };
  const told = { v: config.version, configTerm: config.term, ...holding(at(20)) };
  const other = (command: MemberCommand) => answer(command) ?? 'silence';
  for (const host of ['b:1', 'c:1']) member.peers.set(host, peer());
  Object.assign(member.peers.get('b:1')!, { heartbeat: { ...primary, ...told }, other });
  member.heartbeat('b:1', { configVersion: config.version, configTerm: config.term });
}

function sync(): { state: string; attempts: readonly string[] } {
  join();
  for (let i = 0; i < 100 && member.repl.topology.state !== 'SECONDARY'; i++) member.advance(100);
  return {
    state: member.repl.topology.state,
    attempts: member.repl.initialSyncer.progress.attempts.map(({ status }) => status),
  };
}

beforeEach(() => {
  rbid = 1;
  entries = [entry(at(10)), entry(at(20))];
  firstBatches = [[entries[1]!], [entries[1]!]];
  onAsked = () => {};
});

describe('an initial sync', () => {
  test('takes the newest entry of its source to begin with', () => {
    expect(sync()).toEqual({ state: 'SECONDARY', attempts: ['OK'] });
    expect(member.repl.oplog.last).toEqual(at(20));
    expect(member.repl.positions.initialData).toEqual(at(20));
  });

  test('asks at its very end whether the source has rolled back, and begins anew if so', () => {
    let asked = 0;
    onAsked = (command) => {
      if (!('replSetGetRBID' in command)) return;
      asked += 1;
      // Nothing else has told: no call failed, and no entry went.
      if (asked === 2) rbid = 2;
    };
    const { state, attempts } = sync();
    expect(state).toBe('SECONDARY');
    expect(attempts).toEqual(['UnrecoverableRollbackError: b:1 rolled back meanwhile', 'OK']);
    expect(member.logged(21200)).toHaveLength(1);
  });

  test.for<[what: string, batch: OpTime[], status: string]>([
    ['lost the entry to begin with', [at(21)], 'OplogStartMissing'],
    ['has that timestamp in another term', [at(20, 2)], 'OplogStartMissing'],
    ['sends nothing at all', [], 'OplogStartMissing'],
    ['sends entries out of order', [at(20), at(30), at(25)], 'OplogOutOfOrder'],
    ['goes back in terms', [at(20), at(30, 0)], 'OplogOutOfOrder'],
  ])('is given up when its source %s', ([, batch, status]) => {
    firstBatches[0] = batch.map(entry);
    const { state, attempts } = sync();
    expect(attempts).toEqual([expect.stringMatching(new RegExp(`^${status}: `)), 'OK']);
    expect(state).toBe('SECONDARY');
  });

  test('is given up when its source has no oplog', () => {
    onAsked = () => {
      entries = [];
    };
    join();
    member.advance(3000);
    expect(member.repl.initialSyncer.progress.attempts[0]!.status).toMatch(/^InitialSyncFailure/);
    expect(member.repl.topology.state).toBe('STARTUP2');
  });
});

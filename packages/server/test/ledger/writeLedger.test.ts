import { encodeDocument, OplogEntry, type OpTime, type TraceEvent } from '@replsim/protocol';
import type { TraceListener } from '@replsim/replset';
import { expect, test } from 'vitest';
import { ledgerLines } from '../../src/ledger/ledgerLines.ts';
import { WriteLedger } from '../../src/ledger/writeLedger.ts';

// Long runs: what every member has on disk is forgotten, and lost all the same if it should be.

const at = (t: number, i: number): OpTime => ({ ts: { t: 100, i }, t });
const entry = (opTime: OpTime, bytes: number) =>
  new OplogEntry({ op: 'i', ns: 'app.c', o: encodeDocument({ _id: opTime.ts.i, s: 'x'.repeat(bytes) }) }, opTime, 0);

class Run {
  #listener: TraceListener = () => {};
  readonly #durable = new Map<string, OpTime>();
  readonly ledger = new WriteLedger({
    epochMs: 0,
    memberNames: ['n1', 'n2', 'n3'],
    durable: (member) => this.#durable.get(member),
    onTrace: (listener) => this.#listen(listener),
  });

  #listen(listener: TraceListener): () => void {
    this.#listener = listener;
    return () => {};
  }

  constructor() {
    const members = ['n1', 'n2', 'n3'].map((name, _id) => ({
      _id,
      host: `${name}:27017`,
      arbiterOnly: false,
      votes: 1,
    }));
    this.member('n1', { type: 'configInstalled', config: { version: 1, term: 1, members } as never, forced: false });
    this.elects('n1', 1, 1);
  }

  member(member: string, event: object, atMicros = 0): void {
    this.#listener({ atMicros, member, ...event } as TraceEvent);
  }

  elects(member: string, term: number, i: number): void {
    this.member(member, { type: 'electionWon', term, votes: 2, lastApplied: at(0, 0) });
    const follows = this.#durable.get(member) ?? at(0, 0);
    this.member(member, { type: 'acceptsWrites', value: true, term, follows });
    this.#durable.set(member, at(term, i));
  }

  /** n1 writes, who else fetches it, and a client is told. */
  write(i: number, fetchers: readonly string[], session: object = {}, bytes = 0): void {
    const entries = [entry(at(1, i), bytes)];
    for (const member of ['n1', ...fetchers]) this.#durable.set(member, at(1, i));
    const told = { name: 'insert', ns: 'app.c', w: 1, opTime: at(1, i), writtenMicros: 0, entries, documents: 1 };
    this.member('n1', { type: 'clientWrote', ...told, ...session });
  }
}

test('what all members have on disk is forgotten, but that it was acknowledged', () => {
  const run = new Run();
  for (let i = 2; i < 10_002; i++) run.write(i, ['n2', 'n3']);
  expect(run.ledger.remembered).toBeLessThan(2100);
  run.elects('n2', 2, 20_000);
  expect(run.ledger.report()).toEqual({ acknowledged: 10_000, lost: [] });
});

test('what one member lacks is remembered write by write', () => {
  const run = new Run();
  for (let i = 2; i < 10_002; i++) run.write(i, i < 5_002 ? ['n2', 'n3'] : ['n3']);
  run.elects('n2', 2, 20_000);
  const { lost, acknowledged } = run.ledger.report();
  expect([acknowledged, lost.length, lost[0]!.ids]).toEqual([10_000, 5_000, [5_002]]);
});

test('too many to remember: the newest of them speaks for all', () => {
  const run = new Run();
  run.write(2, ['n2']);
  for (let i = 3; i < 210_002; i++) run.write(i, []);
  expect(run.ledger.remembered).toBeLessThan(202_000);
  run.elects('n2', 2, 300_000);
  const report = run.ledger.report();
  const count = report.lost.reduce((sum, { olderWrites = 0 }) => sum + 1 + olderWrites, 0);
  // One of them is there, and of which one nothing is remembered.
  expect([report.acknowledged, count]).toEqual([210_000, 210_000]);
  expect(ledgerLines(report)).toMatchObject([
    'acknowledged writes: 210000, 210000 of them lost',
    expect.stringMatching(
      /^lost: up to 210000 × insert app\.c, acknowledged by n1 with \{ w: 1 \} from .*Z to .*Z; n2, elected/,
    ),
  ]);
});

test('a retry of what all members have had on disk for long counts once', () => {
  const run = new Run();
  const session = { lsid: 'aa', txnNumber: 1 };
  run.write(2, ['n2', 'n3'], session);
  for (let i = 3; i < 4_003; i++) run.write(i, ['n2', 'n3']);
  const { remembered } = run.ledger;
  run.write(2, [], session);
  expect([run.ledger.report().acknowledged, run.ledger.remembered]).toEqual([4_001, remembered]);
  run.write(4_004, ['n2', 'n3'], { ...session, txnNumber: 2 });
  expect(run.ledger.report().acknowledged).toBe(4_002);
});

test('documents are let go of, and their ids are told all the same', () => {
  const run = new Run();
  for (let i = 2; i < 42; i++) run.write(i, [], {}, 1024 * 1024);
  run.elects('n2', 2, 20_000);
  expect(run.ledger.report().lost.map(({ ids }) => ids[0])).toEqual(Array.from({ length: 40 }, (_, i) => i + 2));
});

test('what a config names and the set does not know holds nothing', () => {
  const run = new Run();
  const members = ['n1', 'elsewhere.example'].map((name, _id) => ({ _id, host: `${name}:27017`, arbiterOnly: false }));
  run.member('n1', { type: 'configInstalled', config: { version: 2, term: 1, members } as never, forced: false });
  for (let i = 2; i < 3_002; i++) run.write(i, ['n2', 'n3']);
  expect(run.ledger.remembered).toBe(3_000);
});

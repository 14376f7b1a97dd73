import type { ClientTrace, TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { InvalidScenario, parseScenario, playScenario, Transcript } from '../../src/index.ts';

const BANK = 'transfer: { in: bank.accounts, accounts: 4, initial: 50 }';
const start = (name: string, more = BANK) => `workload: { name: ${name}, every: 100ms, ${more} }`;
const auditor = (is: number) =>
  start('auditor', `sum: { in: bank.accounts, of: balance, is: ${is} }, readPreference: secondary`);
const sum = (is: number | string, more = 'at: every snapshot') =>
  `{ on: all, sum: bank.accounts, of: balance, is: ${is}, ${more} }`;

const played = (...steps: readonly string[]) => playedWith('name: t', ...steps);

async function playedWith(options: string, ...steps: readonly string[]) {
  const head = `${options}\nreplicaSet: { members: [n1, { name: n2, priority: 0 }] }\nbegin: with a primary\nsteps:\n`;
  const events: TraceEvent[] = [];
  const transcript = new Transcript();
  const lines: string[] = [];
  const scenario = parseScenario(head + steps.map((step) => `  - ${step}\n`).join(''), 't.yaml');
  const { failure, workloads } = await playScenario(scenario, (options) => ReplSet.create(options), {
    onTrace: (event) => {
      events.push(event);
      lines.push(...transcript.observe(event).map((line) => line.trim()));
    },
  });
  return { failure, workloads, events, lines: [...lines, ...transcript.end()] };
}

test('transfers of two clients and an auditor: whatever is read at any moment is whole', async () => {
  const { failure, workloads, lines } = await played(
    start('ann'),
    start('bob', `${BANK}, writeConcern: { w: majority }, maxCommitTimeMS: 5000`),
    auditor(200),
    'advance: 3s',
    'stop: ann',
    'stop: bob',
    'advance: 1s',
    'expect: { workload: ann, acknowledged: { $gt: 20 }, unknown: 0, errors: 0, lost: 0, tornSums: 0 }',
    'expect: { workload: auditor, sums: { $gt: 20 }, tornSums: 0 }',
    `expect: ${sum(200)}`,
    `expect: ${sum(200, 'readConcern: { level: snapshot }')}`,
    `expect: { on: all, sum: bank.accounts, of: balance, is: 200 }`,
    `expect: { not: ${sum(201)} }`,
  );
  expect(failure?.detail).toBeUndefined();
  const [ann] = workloads;
  // The rivals meet, and both come through.
  expect(ann!.counts.aborted + workloads[1]!.counts.aborted).toBeGreaterThan(0);
  expect(ann!.operations.at(-1)).toMatchObject({ outcome: 'acknowledged', survives: true, sums: [200] });
  expect(lines.find((line) => line.includes('ledger of ann'))).toMatch(
    /ledger of ann: \d+ begun, \d+ committed, 0 of them lost, \d+ aborted, 0 errors, 0 in doubt; \d+ sums, 0 of them torn$/,
  );
});

test('what is no transfer is found: by the clients, and in the snapshots that are past by then', async () => {
  const steal =
    'update: { in: bank.accounts, filter: { _id: 1 }, update: { $inc: { balance: -7 } }, writeConcern: { w: majority } }';
  const { failure, events, lines } = await played(
    start('ann'),
    auditor(200),
    'advance: 1s',
    steal,
    'advance: 1s',
    steal.replace('-7', '7'),
    'advance: 1s',
    'stop: ann',
    'expect: { workload: ann, tornSums: { $gte: 9 } }',
    'expect: { workload: auditor, tornSums: { $gte: 9 } }',
    'advance: 1s',
    `expect: { on: all, sum: bank.accounts, of: balance, is: 200 }`,
    `expect: ${sum(200)}`,
  );
  expect(failure).toMatchObject({ index: 13, asked: 'sum of balance in bank.accounts 200, in every snapshot, on n1' });
  expect(failure!.got).toMatch(/^193 at \(13,\d+\)$/);
  const told = events.filter((event) => event.type === 'clientTold') as Extract<ClientTrace, { type: 'clientTold' }>[];
  expect(told.find(({ torn }) => torn)).toMatchObject({ sums: [200, 193], torn: [193] });
  expect(lines.some((line) => /client ann reads a torn snapshot: its sum is 193, from n1/.test(line))).toBe(true);
});

test('a transaction of several entries is seen with the last of them, whatever that tells', async () => {
  const move = (by: number, more = '') =>
    `update: { in: bank.accounts, filter: { _id: 1 }, update: { $inc: { balance: ${by} } }${more} }`;
  const insert = 'insert: { into: bank.receipts, documents: [{ _id: 1 }, { _id: 2 }] }';
  const { failure } = await playedWith(
    'name: t\nparameters: { maxNumberOfTransactionOperationsInSingleOplogEntry: 1 }',
    'insert: { into: bank.accounts, documents: [{ _id: 1, balance: 200 }], writeConcern: { w: 2 } }',
    'insert: { into: bank.receipts, documents: [{ _id: 0, count: 1 }], writeConcern: { w: 2 } }',
    `transaction: { session: s, options: { writeConcern: { w: majority } }, steps: [{ ${move(-7)} }, { ${insert} }] }`,
    'advance: 100ms',
    move(7, ', writeConcern: { w: majority }'),
    'advance: 1s',
    `expect: ${sum(200)}`,
  );
  expect(failure?.got).toMatch(/^193 at \(\d+,\d+\)$/);
});

test('an instant is told as in the transcript, whatever the milliseconds of the epoch', async () => {
  const { failure } = await playedWith(
    'name: t\nepoch: 2030-01-01T00:00:00.750Z',
    'insert: { into: bank.accounts, documents: [{ _id: 1, balance: 199 }], writeConcern: { w: majority } }',
    'advance: 1s',
    `expect: ${sum(200)}`,
  );
  expect(failure?.got).toMatch(/^199 at \(\d+,\d+\)$/);
});

const ACCOUNTS = [
  ['text', ['"5"', '50', '50', '50'], { errors: { $gt: 0 }, acknowledged: { $gt: 0 } }],
  ['text alone', ['"5"', '"5"'], { errors: { $gte: 9 }, acknowledged: 0 }],
  ['nothing', ['null', '50'], { errors: { $gt: 0 } }],
  ['fractions', ['0.5', '0.25'], { errors: 0, acknowledged: { $gte: 9 }, tornSums: { $gte: 9 } }],
  ['decimals', ['{ $numberDecimal: "150.5" }', '49.5'], { errors: 0, acknowledged: { $gte: 9 }, tornSums: 0 }],
] as const;

test.for(ACCOUNTS)('accounts that hold %s: what a mongod refuses is an error', async ([, balances, counts]) => {
  const documents = balances.map((balance, index) => `{ _id: ${index + 1}, balance: ${balance} }`);
  const { failure, workloads } = await played(
    `insert: { into: bank.accounts, documents: [${documents}], writeConcern: { w: majority } }`,
    start('ann'),
    'advance: 2s',
    'stop: ann',
    'advance: 1s',
    `expect: { workload: ann, ${JSON.stringify(counts).slice(1, -1).replaceAll('"', '').replaceAll(':', ': ')} }`,
  );
  expect(failure?.got).toBeUndefined();
  const errors = workloads[0]!.operations.flatMap(({ error }) => error ?? []);
  for (const { code } of errors) expect(code).toBe(14);
  for (const { sums } of workloads[0]!.operations) for (const sum of sums ?? []) expect(sum).toBeTypeOf('number');
});

test('no sum rests on nothing', async () => {
  const nothing = await played('advance: 1s', `expect: { not: ${sum(0)} }`);
  expect(nothing.failure?.got).toBe('no snapshot that can be read has such a document');
  const none = await played('advance: 1s', `expect: ${sum(0, 'readConcern: { level: local }')}`);
  expect(none.failure?.got).toBe('no document of bank.accounts has a number there');
  const once = [
    'insert: { into: bank.accounts, documents: [{ _id: 1, balance: 200 }], writeConcern: { w: majority } }',
    'advance: 1s',
  ];
  const one = await played(...once, `expect: ${sum(200)}`);
  expect(one.failure?.got).toContain('nothing came after it');
  const still = await played(...once, auditor(200), 'advance: 1s', 'expect: { workload: auditor, tornSums: 0 }');
  expect(still.failure?.got).toContain('it did not change meanwhile');
});

test.for([
  [start('w', `${BANK}, readPreference: secondary`), 'it can be combined with readConcern, writeConcern'],
  [
    start('w', 'sum: { in: a.b, of: n, is: 1 }, writeConcern: { w: 1 }'),
    'it can be combined with readConcern, readPreference',
  ],
  [start('w', BANK.replace('4', '1')), '2 or more'],
  // A driver's option of a transaction, and one of an operation.
  [start('w', `${BANK}, maxTimeMS: 5`), 'did you mean "maxCommitTimeMS"?'],
  [start('w', 'find: { in: a.b }, maxCommitTimeMS: 5'), 'did you mean "maxTimeMS"?'],
  ['transaction: { session: s, options: { maxTimeMS: 5 }, steps: [] }', 'did you mean "maxCommitTimeMS"?'],
  ['startTransaction: { session: s, maxTimeMS: 5 }', 'options: { maxCommitTimeMS: … }'],
  ['commitTransaction: { session: s, maxCommitTimeMS: 5 }', 'where that begins: options: { maxCommitTimeMS: … }'],
  ['expect: { sum: a.b, is: 1 }', '"sum" needs "of"'],
  ['expect: { sum: a.b, of: n, is: 1, at: every moment }', 'expected "every snapshot"'],
  ['expect: { sum: a.b, of: n, is: 1, at: every snapshot, readConcern: { level: local } }', 'leave it out'],
  ['expect: { sum: a.b, of: n, is: 1, readConcern: { level: snapshoot } }', 'did you mean "snapshot"?'],
  ['expect: { count: a.b, of: n, is: 1 }', '"of" does not go with "count"'],
])('%s: %s', ([step, complaint]) => {
  const parse = () => parseScenario(`name: t\nsteps:\n  - ${step}\n`, 't.yaml');
  expect(parse).toThrow(InvalidScenario);
  expect(parse).toThrow(complaint!);
});

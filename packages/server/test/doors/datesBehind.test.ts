import { encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { DatesBehind } from '../../src/doors/datesBehind.ts';
import { ServedSet } from '../../src/index.ts';
import { RawClient } from './rawClient.ts';

type Command = Record<string, unknown>;

const MACHINE = Date.UTC(2026, 0, 1);
const OK = encodeDocument({ ok: 1 });
const fresh = new Date(MACHINE - 3);
const insert = (...documents: Command[]) => ({ insert: 'sessions', documents, $db: 'app' });
const update = (u: unknown) => ({ update: 'sessions', updates: [{ q: {}, u }], $db: 'app' });

/** What is said of commands, with the set's clock so far ahead. */
function toldOf(aheadMs: number, ...commands: Command[]): string[] {
  const told: string[] = [];
  const dates = new DatesBehind({ setMs: () => MACHINE + aheadMs, machineMs: () => MACHINE });
  dates.onBehind((text) => told.push(text));
  if (aheadMs > 0) dates.jumped(aheadMs * 1000);
  for (const command of commands) dates.answered(encodeDocument(command), OK);
  return told.map((text) => text.replace(/ was written.*/, ''));
}

const SAID = 'app.sessions, field at: a date';

test('each way to write a date is seen', () => {
  const ways = [
    insert({ _id: 1 }, { _id: 2, at: fresh }),
    update({ at: fresh }),
    update({ $set: { at: fresh } }),
    update({ $setOnInsert: { at: fresh } }),
    { findAndModify: 'sessions', query: {}, update: { $max: { at: fresh } }, $db: 'app' },
  ];
  for (const way of ways) expect(toldOf(61_000, way), JSON.stringify(way)).toEqual([SAID]);
});

test.for([
  ['the clock was never moved', 0, insert({ at: fresh })],
  ['a date of the set’s own', 61_000, insert({ at: new Date(MACHINE + 61_000) })],
  ['a date that means the past', 61_000, insert({ born: new Date(0), at: new Date(MACHINE - 60_000) })],
  ['a date of the set that lies in its past', 61_000, insert({ at: new Date(MACHINE + 1000) })],
  ['a jump of no account', 500, insert({ at: fresh })],
  ['a date below the top', 61_000, insert({ log: [{ at: fresh }], more: { at: fresh } })],
  ['a pipeline, and a query', 61_000, { ...update([{ $set: { at: fresh } }]), let: { at: fresh } }],
  ['what is only read', 61_000, { find: 'sessions', filter: { at: { $lt: fresh } }, $db: 'app' }],
] as const)('nothing is said of %s', ([, aheadMs, command]) => {
  expect(toldOf(aheadMs, command)).toEqual([]);
});

test('each field of a collection once, and no more than twenty', () => {
  expect(
    toldOf(61_000, insert({ at: fresh }), insert({ at: fresh }), update({ at: fresh }), insert({ seen: fresh })),
  ).toEqual([SAID, 'app.sessions, field seen: a date']);
  const many = Array.from({ length: 30 }, (_, i) => insert({ [`at${i}`]: fresh }));
  expect(toldOf(61_000, ...many)).toHaveLength(20);
});

test('what the member refused was not written', () => {
  const told: string[] = [];
  const dates = new DatesBehind({ setMs: () => MACHINE + 61_000, machineMs: () => MACHINE });
  dates.onBehind((text) => told.push(text));
  dates.jumped(61_000_000);
  dates.answered(encodeDocument(insert({ at: fresh })), encodeDocument({ ok: 0, code: 10107 }));
  expect(told).toEqual([]);
});

test('a served set says where, by how much, and what to do', async () => {
  const served = await ServedSet.start({ members: 1, speed: 0 });
  const client = await RawClient.connect(served.set.hostOf('n1'));
  try {
    const told: string[] = [];
    served.dates.onBehind((text) => told.push(text));
    await client.ask({ ...insert({ _id: 1, at: new Date() }) });
    expect(told).toEqual([]);
    await served.advance(3_700_000_000);
    expect(await client.ask({ ...insert({ _id: 2, at: new Date() }) })).toMatchObject({ ok: 1 });
    expect(told).toEqual([
      expect.stringMatching(
        /^app\.sessions, field at: a date was written that lies 1h 1m ?\S* behind .* set\.now\(\), /,
      ),
    ]);
  } finally {
    client.socket.destroy();
    await served.stop();
  }
});

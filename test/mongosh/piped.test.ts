import { expect, test } from 'vitest';
import { useServedSet } from '../clients/servedSets.ts';
import { directly } from './asking.ts';
import { mongosh } from './mongosh.ts';

const served = useServedSet({ seed: 24 });

/** What comes in, and what the shell says to it. */
const LINES = [
  ['use app', 'switched to db app'],
  ['db.c.insertMany([{ _id: 1 }, { _id: 2 }]).acknowledged', 'true'],
  ['show collections', 'c'],
  ['db.c.find().sort({ _id: -1 })', '[ { _id: 2 }, { _id: 1 } ]'],
  ['db.runCommand({ nope: 1 })', "Uncaught MongoServerError[CommandNotFound]: no such command: 'nope'"],
] as const;

test('lines through a pipe', async () => {
  const typed = LINES.map(([line]) => `${line}\n`).join('');
  const { stdout, stderr, status } = await mongosh([...directly(served()), '--quiet'], typed);
  const said = LINES.map(([, answer], i) => `rs0 [direct: primary] ${i === 0 ? 'test' : 'app'}> ${answer}\n`).join('');
  expect(stdout.replaceAll('\r', '')).toBe(`${said}rs0 [direct: primary] app> `);
  expect([stderr, status]).toEqual(['', 0]);
});

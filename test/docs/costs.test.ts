import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readOptions } from '../../packages/replsim/src/readOptions.ts';
import { ServedSet, type ServeOptions } from '../../packages/server/src/index.ts';
import { RawClient } from '../../packages/server/test/doors/rawClient.ts';
import { prose, read } from './markdown.ts';

// What pages and comments say that things take in a served set.

/**
 * How far an insert of so many documents carries virtual time that otherwise stands still: the one in the middle of several, as one
 * may meet what members have begun before it, such as a change of sync source. Unit: ms.
 */
async function taken(options: ServeOptions, count: number): Promise<number> {
  const served = await ServedSet.start({ ...options, seed: 1, speed: 0 });
  onTestFinished(() => served.stop());
  const client = await RawClient.connect(served.set.hostOf(served.primary!));
  onTestFinished(() => void client.socket.destroy());
  await client.ask({ create: 'a', writeConcern: { w: 'majority' }, $db: 'app' });
  const each: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const documents = Array.from({ length: count }, (_, i) => ({ _id: round * count + i }));
    const before = served.set.nowMicros;
    const insert = { insert: 'a', documents, writeConcern: { w: 'majority' }, $db: 'app' };
    expect(await client.ask(insert)).toMatchObject({ ok: 1 });
    each.push((served.set.nowMicros - before) / 1000);
  }
  return each.toSorted((a, b) => a - b)[(ROUNDS - 1) / 2]!;
}

const ROUNDS = 7;

/** A number that stands in a text, with one after the point. */
const figure = (text: string, words: RegExp) => Number(words.exec(text.replaceAll(/\s+(\/\/ |\* )?/g, ' '))![1]);

const ONE = 1;
const MANY = 2000;

test('a write that a majority has takes what the pages say', async () => {
  const ms = await taken({ members: 3 }, ONE);
  expect(ms).toBeCloseTo(figure(prose('docs/serve.md'), /a majority write costs some ([\d.]+) ms/), 1);
  const source = read('packages/server/src/doors/oneMachine.ts');
  expect(ms).toBeCloseTo(figure(source, /waits for a majority .* is there after some ([\d.]+) ms/), 1);
  const many = await taken({ members: 3 }, MANY);
  const within = figure(source, /2,000 documents of an insertMany are there within some ([\d.]+) ms/);
  expect(many).toBeGreaterThan(within / 2);
  expect(many).toBeLessThanOrEqual(within);
});

test('the set of a scenario file keeps its links and costs, and the defaults of scenarios', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'replsim-costs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const scenario = (head: string) => {
    const path = join(folder, 'set.yaml');
    writeFileSync(path, `name: A set\nreplicaSet: { members: 3 }\n${head}\nsteps: [{ advance: 1s }]\n`);
    return readOptions({ scenario: path }).serve;
  };
  // Six links of 1 to 4 ms and two flushes of 2 ms, one after the other.
  const ms = await taken(scenario(''), ONE);
  expect(ms).toBeGreaterThan(5);
  expect(ms).toBeLessThan(30);
  expect(await taken(scenario('costs: { insertMicros: 50000 }'), ONE)).toBeGreaterThan(50);
  expect(await taken(scenario('network: { latencyMs: [300, 300] }'), ONE)).toBeGreaterThan(600);
});

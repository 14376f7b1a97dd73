import { CommandError, decodePromoted, encodeDocument } from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../../packages/database/src/allCommands.ts';
import { anyCommand, COMMAND_NAMES } from '../../packages/database/test/onSets/commandShapes.ts';
import { AskedSet, type Doc } from '../../packages/replset/test/askedSet.ts';
import { extreme, V8 } from './extremes.ts';

// Whatever the fields of a command hold, it is answered, by a value or by an error of mongod's, and the set goes on answering.
// `npm run extremes` tries more.

const { EXTREMES } = process.env;
const SEEDS = EXTREMES === undefined ? 3 : Number(EXTREMES);
/** A command that is not answered by then waits for something that may never come. Unit: µs. */
const PATIENCE_MICROS = 2_000_000;

/** A command of which some fields, chosen by chance, hold what no client of good sense would send. */
function extremeCommand(name: string): fc.Arbitrary<Doc> {
  const drawn = fc.tuple(anyCommand(name), fc.array(extreme, { minLength: 8, maxLength: 8 }), fc.nat(255));
  return drawn.map(([command, values, chosen]) => {
    const fields = Object.entries(command).map(([field, value], i) => {
      const isChosen = field !== '$db' && ((chosen >> (i % 8)) & 1) === 1;
      return [field, isChosen ? values[i % 8] : value] as const;
    });
    return Object.fromEntries(fields);
  });
}

/** @returns what is wrong with an answer, if anything */
function wrongIn({ ok, code, codeName, errmsg }: Doc): string | undefined {
  if (ok === 1) return undefined;
  const isError = ok === 0 && Number.isInteger(code) && typeof codeName === 'string' && typeof errmsg === 'string';
  if (!isError) return `neither a reply nor an error: ${JSON.stringify({ ok, code, codeName, errmsg })}`;
  return code === 1 || V8.test(errmsg) ? `${code} ${errmsg.slice(0, 200)}` : undefined;
}

async function answer(asked: AskedSet, member: string, command: Doc): Promise<Doc> {
  let bytes: Uint8Array;
  try {
    bytes = encodeDocument(command);
  } catch (error) {
    // A name that BSON cannot have: nobody can send it.
    if (error instanceof CommandError) return { ok: 1 };
    throw error;
  }
  const pending = asked.set.send(member, bytes);
  await asked.set.runUntil(() => pending.reply !== undefined, asked.set.nowMicros + PATIENCE_MICROS);
  return pending.reply === undefined ? { ok: 1 } : decodePromoted(pending.reply);
}

async function startSet(): Promise<AskedSet> {
  const second = { config: { priority: 0 } };
  const asked = await AskedSet.start([{ name: 'n1' }, { name: 'n2', ...second }, { name: 'n3', ...second }]);
  const documents = [
    { _id: 1, a: 1 },
    { _id: 2, a: [1, 2] },
  ];
  await asked.ok('n1', { insert: 'c', documents });
  return asked;
}

describe('extreme arguments', () => {
  test('are thrown at every command that there is', () => {
    const known = new Set(COMMAND_NAMES.map((name) => name.toLowerCase()));
    const left = allCommands().filter(({ name }) => !known.has(name.toLowerCase()));
    expect(left.map(({ name }) => name)).toEqual([]);
  });

  test.each(COMMAND_NAMES)('%s', { timeout: 0 }, async (name) => {
    const wrong = new Set<string>();
    let asked = await startSet();
    for (const [i, command] of fc.sample(extremeCommand(name), { numRuns: SEEDS, seed: 1 }).entries()) {
      const what = wrongIn(await answer(asked, i % 4 === 3 ? 'n2' : 'n1', command));
      if (what !== undefined) wrong.add(what);
      // It may have been told to end, or to be no member any more.
      const lives = asked.set.status('n1').running && asked.set.status('n2').running;
      if (lives) expect(await answer(asked, 'n1', { hello: 1, $db: 'admin' })).toMatchObject({ ok: 1 });
      if (lives && !changesTheSet.has(name)) continue;
      await asked.set.close();
      asked = await startSet();
    }
    await asked.set.close();
    expect([...wrong]).toEqual([]);
  });
});

/** After these each draw has a set of its own: what they do stays. */
const changesTheSet: ReadonlySet<string> = new Set(['configureFailPoint', 'replSetReconfig', 'replSetInitiate', 'shutdown', 'fsync', 'setParameter']); // biome-ignore format: one line

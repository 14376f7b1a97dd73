import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { measured } from '../../bench/abuse/measure.ts';
import type { Measured } from '../../bench/abuse/measured.ts';
import { TABLE } from '../../bench/abuse/table.ts';

// What one client does to a set, while another sends `ping`. A ping is judged by the CPU time that the process of the set took while it
// waited, in runs of a loop of that process: the CPU time stands still where other programs have the processor, so a busy machine makes
// nothing longer. `npm run bench -- abuse` shows all rows, by the wall clock as well.

/** 250 ms of a quiet machine are some 40 loops; a busy machine's caches and collections may take three times as much. */
const MOST_LOOPS = 120;
/** `EVERY_ROW=1` measures the whole table, which takes minutes. */
const { EVERY_ROW } = process.env;

const program = {
  file: fileURLToPath(new URL('../../bench/abuse/server.ts', import.meta.url)),
  execArgv: ['--import', new URL('../native/register.mjs', import.meta.url).href, '--conditions', '@replsim/source'],
};

/** From each part of the table. */
const HELD: ReadonlySet<string> = new Set([
  '$match of $in with 100,000 values',
  '$sort of 20,000 by a string and a number',
  '$group of all with 50 accumulators',
  '$bucketAuto of 10,000 buckets',
  '$facet of 50 branches',
  '$lookup by fields, 20,000 × 20,000',
  'window $median, all before',
  'window $covarianceSamp, 10,000 each way',
  'window $integral, all before',
  '$unionWith, 20 times 20,000',
  '$documents of 100,000',
  '$map in $map, 15 million steps, maxTimeMS 100',
  '$reduce of 1,000,000',
  '$reduce with $concat, 20,000',
  '$reduce with $concatArrays, 20,000',
  '$reduce with $setUnion, 3,000',
  '$sortArray of 100,000 objects',
  '$zip of 20 × 100,000',
  '$regexFindAll in 2 MB',
  '$split of 2 MB',
  'distinct of 20,000',
  '$switch of 5,000 branches over 1,000',
  'an object of 20,000 computed fields',
  '$toUpper, $trim and $strLenCP of 2 MB',
  'update of 20,000 at once',
  '$set of 20,000 nested fields',
  '$[] over 100,000',
  '$bit and $currentDate of 10,000 each',
  'explain of $or of 20,000',
  'insert of an array of 100,000 into an index',
  'delete of 20,000',
  'find with $in of 100,000 and $nin of 100,000',
  'find within a polygon of 5,000 corners',
  'drop of all 2,000 collections',
]);

const held = TABLE.filter(({ name }) => HELD.has(name));

test('names are unique, and there are many', () => {
  expect(new Set(TABLE.map(({ name }) => name)).size).toBe(TABLE.length);
  expect(TABLE.length).toBeGreaterThanOrEqual(80);
  expect(held).toHaveLength(HELD.size);
});

test('no client holds another for longer than the bound', { timeout: 0 }, async () => {
  const tooLong: Measured[] = [];
  for await (const row of measured(EVERY_ROW === undefined ? held : TABLE, program))
    if (row.pingLoops > MOST_LOOPS) tooLong.push(row);
  expect(tooLong).toEqual([]);
});

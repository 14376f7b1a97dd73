import { isDeepStrictEqual } from 'node:util';
import { BsonWriter, encodeDocument } from '@replsim/protocol';
import { Evaluation, Meter, UNFINISHED } from '@replsim/query';
import { expect, test } from 'vitest';
import { parseFilterTree } from '../../src/planner/filterTree.ts';

test('a field may have as many conditions as a filter has room for', () => {
  const writer = new BsonWriter();
  writer.beginDocument('a');
  for (let n = 0; n < 200_000; n++) writer.int32('$gt', n);
  writer.endDocument();
  expect(parseFilterTree(writer.finish())).toMatchObject({ kind: '$and', of: { length: 200_000 } });
});

/** It is the others' turn after each part. */
class Impatient extends Meter {
  override get isDue(): boolean {
    return true;
  }
}

test('read in turns with others, a long filter is the same tree', () => {
  const branches = Array.from({ length: 100 }, (_, i) => ({
    b: i,
    a: { $ne: i },
    $and: [{ c: 1 }, { d: { $lt: i } }],
  }));
  const filter = encodeDocument({ $or: branches, e: { $in: [1, 2] }, $nor: branches });
  const meter = new Impatient();
  const evaluation = new Evaluation(meter);
  let attempts = 0;
  let tree: unknown = UNFINISHED;
  for (; tree === UNFINISHED; attempts++) tree = evaluation.attempt(() => parseFilterTree(filter, meter));
  expect(attempts).toBeGreaterThan(200);
  // Each condition holds all bytes of the filter: `toEqual` would go through them byte by byte, for each.
  expect(isDeepStrictEqual(tree, parseFilterTree(filter))).toBe(true);
});

import { BsonWriter } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { parseFilterTree } from '../../src/planner/filterTree.ts';

test('a field may have as many conditions as a filter has room for', () => {
  const writer = new BsonWriter();
  writer.beginDocument('a');
  for (let n = 0; n < 200_000; n++) writer.int32('$gt', n);
  writer.endDocument();
  expect(parseFilterTree(writer.finish())).toMatchObject({ kind: '$and', of: { length: 200_000 } });
});

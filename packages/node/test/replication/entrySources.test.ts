import { expect, test } from 'vitest';
import { EntrySources } from '../../../oplog/src/entrySources.ts';

test('a batch is told of by who sent it, and in parts where the source changed while it waited', () => {
  const sources = new EntrySources();
  sources.push('n1:27017', 2);
  sources.push('n1:27017', 3);
  sources.push('n2:27017', 0);
  sources.push('n2:27017', 4);
  expect(sources.shift(1)).toEqual([{ source: 'n1:27017', count: 1 }]);
  expect(sources.shift(6)).toEqual([
    { source: 'n1:27017', count: 4 },
    { source: 'n2:27017', count: 2 },
  ]);
  sources.push('n1:27017', 1);
  expect(sources.shift(3)).toEqual([
    { source: 'n2:27017', count: 2 },
    { source: 'n1:27017', count: 1 },
  ]);
});

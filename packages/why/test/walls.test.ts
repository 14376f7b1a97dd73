import { expect, test } from 'vitest';
import { Walls } from '../src/walls.ts';

test('who is apart since when, by partitions and cuts, until they are healed', () => {
  const walls = new Walls(['n1', 'n2', 'n3']);
  expect(walls.apartSince('n1', 'n3')).toBeUndefined();
  walls.observe({ atMicros: 5, type: 'partitioned', groups: [['n1', 'n2']] });
  expect([walls.apartSince('n1', 'n3'), walls.apartSince('n1', 'n2')]).toEqual([5, undefined]);
  walls.observe({ atMicros: 7, type: 'cut', from: 'n1', to: 'n2' });
  expect([walls.cutSince('n1', 'n2'), walls.cutSince('n2', 'n1'), walls.apartSince('n2', 'n1')]).toEqual([
    7,
    undefined,
    7,
  ]);
  walls.observe({ atMicros: 9, type: 'healed', members: ['n2'] });
  expect([walls.apartSince('n1', 'n2'), walls.apartSince('n1', 'n3')]).toEqual([undefined, 5]);
  walls.observe({ atMicros: 11, type: 'healed', members: 'all' });
  expect(walls.apartSince('n1', 'n3')).toBeUndefined();
});

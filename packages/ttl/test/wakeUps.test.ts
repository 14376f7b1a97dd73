import { VERSIONS } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import type { TtlMember } from '../src/index.ts';
import { Driver, done, index } from './drive.ts';

// What one wake-up does by the member's state, by the bare rules. `packages/ttl/test/onSets/eligibility.test.ts` asks the
// same of members that are in these states.

type Counts = readonly [visits: number, passes: number, subPasses: number];

const readable = { fsyncLocked: false, acceptsWrites: false };
const ROWS: readonly (readonly [state: string, member: TtlMember, b: Counts, a: Counts, legacy: Counts])[] = [
  ['standalone', { ...readable, memberState: 'STANDALONE', acceptsWrites: true }, [2, 1, 1], [2, 1, 1], [2, 1, 0]],
  ['PRIMARY, writable', { ...readable, memberState: 'PRIMARY', acceptsWrites: true }, [2, 1, 1], [2, 1, 1], [2, 1, 0]],
  ['PRIMARY, still draining', { ...readable, memberState: 'PRIMARY' }, [1, 1, 1], [1, 1, 1], [1, 1, 0]],
  ['SECONDARY', { ...readable, memberState: 'SECONDARY' }, [0, 0, 0], [1, 1, 1], [1, 1, 0]],
  ...(['STARTUP', 'STARTUP2', 'RECOVERING', 'ROLLBACK', 'ARBITER', 'REMOVED'] as const).map(
    (memberState) => [memberState, { ...readable, memberState }, [0, 0, 0], [0, 1, 0], [0, 0, 0]] as const,
  ),
  [
    'PRIMARY, fsync-locked',
    { memberState: 'PRIMARY', acceptsWrites: true, fsyncLocked: true },
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ],
  [
    'SECONDARY, fsync-locked',
    { ...readable, memberState: 'SECONDARY', fsyncLocked: true },
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ],
];

/** One index that is replicated and one in `local`, which every member may write. */
function wakeOnce(version: keyof typeof VERSIONS, member: TtlMember, enabled = true): Counts {
  const driver = new Driver({ traits: VERSIONS[version], member, parameters: { ttlMonitorEnabled: enabled } });
  driver.answer = () => ({ result: done(1) });
  driver.send(index('replicated', 'c1'));
  driver.send(index('own', 'c2', true));
  driver.start();
  driver.runTo(61);
  const { passes, subPasses } = driver.state.metrics;
  return [driver.effects('visit').length, passes, subPasses];
}

describe.each(ROWS)('%s', (_, member, b, a, legacy) => {
  test.each([
    ['8.2', b],
    ['8.0', a],
    ['7.0', a],
    ['6.0', legacy],
    ['4.4', legacy],
    ['3.2', legacy],
  ] as const)('%s: visits, passes and sub-passes %o', (version, counts) => {
    const [visits, passes, subPasses] = wakeOnce(version, member);
    // Before 6.1 there are no sub-passes to show, however they are counted.
    expect([visits, passes, VERSIONS[version].ttlBatched ? subPasses : 0]).toEqual(counts);
  });

  test('disabled, it does nothing at all', () => {
    expect(wakeOnce('8.0', member, false)).toEqual([0, 0, 0]);
  });
});

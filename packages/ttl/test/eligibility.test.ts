import { VERSIONS } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { mayDelete, maySubPass, passGate, shouldStartMonitor } from '../src/index.ts';
import { PRIMARY, SECONDARY } from './drive.ts';

test.for([
  { mode: 'standalone', hasReplSetConfig: false, starts: true },
  { mode: 'standalone', hasReplSetConfig: true, starts: false },
  { mode: 'replSet', hasReplSetConfig: true, starts: true },
  { mode: 'replSet', hasReplSetConfig: false, starts: true }, // not initiated yet
  { mode: 'standalone', hasReplSetConfig: false, readOnly: true, starts: false },
] as const)('$mode, config in local: $hasReplSetConfig, starts: $starts', ({ starts, ...process }) => {
  expect(shouldStartMonitor(process)).toBe(starts);
});

test.for([
  ['STANDALONE', 'run', 'run', 'run'],
  ['PRIMARY', 'run', 'run', 'run'],
  ['SECONDARY', 'skip', 'run', 'run'],
  ['STARTUP', 'skip', 'count', 'skip'],
  ['STARTUP2', 'skip', 'count', 'skip'],
  ['RECOVERING', 'skip', 'count', 'skip'],
  ['ROLLBACK', 'skip', 'count', 'skip'],
  ['ARBITER', 'skip', 'count', 'skip'],
  ['REMOVED', 'skip', 'count', 'skip'],
] as const)('%s: 8.2 %s, 8.0 %s, before 6.1 %s', ([memberState, b, a, legacy]) => {
  expect(passGate(memberState, VERSIONS['8.2'])).toBe(b);
  expect(passGate(memberState, VERSIONS['8.0'])).toBe(a);
  expect(passGate(memberState, VERSIONS['7.0'])).toBe(a);
  for (const version of ['6.0', '4.4', '3.2'] as const) expect(passGate(memberState, VERSIONS[version])).toBe(legacy);
  expect(maySubPass(memberState)).toBe(['STANDALONE', 'PRIMARY', 'SECONDARY'].includes(memberState));
});

test('deleting needs writes to be accepted in that database', () => {
  expect(mayDelete(PRIMARY, { local: false })).toBe(true);
  expect(mayDelete(SECONDARY, { local: false })).toBe(false);
  expect(mayDelete({ ...PRIMARY, acceptsWrites: false }, { local: false })).toBe(false);
  expect(mayDelete(SECONDARY, { local: true })).toBe(true);
});

import { type MongodVersion, VERSIONS } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { DEFAULT_TTL_PARAMETERS, isTtlParameter, ttlParametersOf } from '../src/index.ts';

test('the defaults are those of mongod', () => {
  expect(DEFAULT_TTL_PARAMETERS).toEqual({
    ttlMonitorEnabled: true,
    ttlMonitorSleepSecs: 60,
    ttlMonitorBatchDeletes: true,
    ttlMonitorSubPassTargetSecs: 60,
    ttlIndexDeleteTargetTimeMS: 1000,
    ttlIndexDeleteTargetDocs: 50_000,
    ttlCollLowPrioritySubpassLimit: 5,
    batchedDeletesTargetBatchDocs: 10,
    batchedDeletesTargetBatchTimeMS: 5,
    batchedDeletesTargetStagedDocBytes: 2_097_152,
  });
});

const BATCHING = [
  'ttlMonitorEnabled',
  'ttlMonitorSleepSecs',
  'ttlMonitorBatchDeletes',
  'ttlMonitorSubPassTargetSecs',
  'ttlIndexDeleteTargetTimeMS',
  'ttlIndexDeleteTargetDocs',
  'batchedDeletesTargetBatchDocs',
  'batchedDeletesTargetBatchTimeMS',
  'batchedDeletesTargetStagedDocBytes',
];

test.for<[version: MongodVersion, names: string[]]>([
  ['3.2', ['ttlMonitorEnabled', 'ttlMonitorSleepSecs']],
  ['4.4', ['ttlMonitorEnabled', 'ttlMonitorSleepSecs']],
  ['6.0', ['ttlMonitorEnabled', 'ttlMonitorSleepSecs']],
  ['7.0', [...BATCHING, 'ttlCollLowPrioritySubpassLimit']],
  ['8.0', [...BATCHING, 'ttlCollLowPrioritySubpassLimit']],
  ['8.2', BATCHING],
])('%s knows %o', ([version, names]) => {
  const known = ttlParametersOf(VERSIONS[version]).map(({ name }) => name);
  expect(new Set<string>(known)).toEqual(new Set(names));
});

test('the sleep has a bound, but in 3.2', () => {
  const boundOf = (version: MongodVersion) =>
    ttlParametersOf(VERSIONS[version]).find(({ name }) => name === 'ttlMonitorSleepSecs')?.bounds;
  for (const version of ['8.2', '8.0', '7.0', '6.0', '4.4'] as const) expect(boundOf(version)).toEqual({ above: 0 });
  expect(boundOf('3.2')).toBeUndefined();
});

test('other names are not TTL parameters', () => {
  expect(isTtlParameter('ttlMonitorSleepSecs')).toBe(true);
  expect(isTtlParameter('constructor')).toBe(false);
});

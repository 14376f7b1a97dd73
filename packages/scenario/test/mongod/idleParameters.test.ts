import { expect, test } from 'vitest';
import { whyIdle } from '../../src/mongod/idleParameters.ts';

test.for<[name: string, value: unknown, why: string | undefined]>([
  ['wiredTigerConcurrentReadTransactions', 4, 'the storage engine here has no such option'],
  ['wiredTigerCacheSizeGB', 1, 'the storage engine here has no such option'],
  ['storageEngineConcurrentReadTransactions', 4, 'operations on one member do not compete'],
  ['diagnosticDataCollectionPeriodMillis', 1000, 'no diagnostic data are gathered'],
  ['enableFlowControl', false, 'there is no flow control'],
  ['wiredTigerCacheSizGB', 1, undefined],
  ['diagnosticDataCollectionEnabled', false, undefined],
  ['ttlMonitorSleepSecs', 5, undefined],
  ['internalQueryMaxBlockingSortMemoryUsageBytes', 5, undefined],
])('%s: %j', ([name, value, why]) => {
  expect(whyIdle(name, value)?.why).toBe(why);
});

test('majority reads cannot be turned off, and were never a parameter', () => {
  expect(whyIdle('enableMajorityReadConcern', true)?.refused).toBe(false);
  expect(whyIdle('enableMajorityReadConcern', false)).toEqual({
    refused: true,
    why: 'it is not a parameter: it was a startup option until 4.4, and always true since 5.0; remove it',
  });
});

import { CommandError, type MongodVersion, VERSIONS } from '@replsim/protocol';
import { expect, test } from 'vitest';
import {
  DEFAULT_TTL_PARAMETERS,
  isTtlParameter,
  parseParameter,
  TTL_PARAMETERS,
  type TtlParameterName,
  ttlParametersOf,
} from '../src/index.ts';

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

test.for(TTL_PARAMETERS)('$name takes its default', ({ name, default: value }) => {
  expect(parseParameter(name, value)).toBe(value);
  expect(parseParameter(name, String(value))).toBe(value);
});

test.for<[name: TtlParameterName, value: unknown, parsed: boolean | number]>([
  ['ttlMonitorEnabled', 'false', false],
  ['ttlMonitorEnabled', 0, false],
  ['ttlMonitorEnabled', '1', true],
  ['ttlMonitorSleepSecs', 1, 1],
  ['ttlMonitorSleepSecs', 5n, 5],
  ['ttlMonitorSleepSecs', 1.9, 1],
  ['ttlMonitorSubPassTargetSecs', 0, 0],
  ['ttlMonitorSubPassTargetSecs', -0.5, 0],
  ['batchedDeletesTargetStagedDocBytes', 2 ** 40, 2 ** 40],
])('%s: %o', ([name, value, parsed]) => {
  expect(parseParameter(name, value)).toBe(parsed);
});

test.for<[name: TtlParameterName, value: unknown, gist: string]>([
  ['ttlMonitorSleepSecs', 0, 'ttlMonitorSleepSecs: 0 is not greater than 0'],
  ['ttlMonitorSleepSecs', '-1', 'ttlMonitorSleepSecs: -1 is not greater than 0'],
  ['ttlMonitorSleepSecs', 2 ** 31, 'is not a 32-bit integer'],
  ['ttlMonitorSleepSecs', '1s', 'ttlMonitorSleepSecs: 1s is not'],
  ['ttlMonitorSleepSecs', Number.NaN, 'NaN is not'],
  ['ttlMonitorSleepSecs', true, 'true is not'],
  ['ttlMonitorSubPassTargetSecs', -1, 'ttlMonitorSubPassTargetSecs: -1 is not greater than or equal to 0'],
  ['ttlIndexDeleteTargetTimeMS', -1, 'greater than or equal to 0'],
  ['ttlIndexDeleteTargetDocs', -1, 'greater than or equal to 0'],
  ['ttlCollLowPrioritySubpassLimit', -1, 'greater than or equal to 0'],
  ['batchedDeletesTargetBatchDocs', -1, 'greater than or equal to 0'],
  ['batchedDeletesTargetBatchTimeMS', -1, 'greater than or equal to 0'],
  ['batchedDeletesTargetStagedDocBytes', -1, 'greater than or equal to 0'],
  ['batchedDeletesTargetBatchDocs', 1e300, 'is not an integer'],
  ['ttlMonitorEnabled', 'yes', 'is not a boolean'],
  ['ttlMonitorBatchDeletes', null, 'is not a boolean'],
])('%s: %o is a BadValue', ([name, value, gist]) => {
  try {
    parseParameter(name, value);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(CommandError);
    expect(error).toMatchObject({ code: 2, message: expect.stringContaining(gist) });
  }
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
  ['7.0', [...BATCHING, 'ttlCollLowPrioritySubpassLimit']],
  ['8.0', [...BATCHING, 'ttlCollLowPrioritySubpassLimit']],
  ['8.2', BATCHING],
])('%s knows %o', ([version, names]) => {
  const known = ttlParametersOf(VERSIONS[version]).map(({ name }) => name);
  expect(new Set<string>(known)).toEqual(new Set(names));
});

test('other names are not TTL parameters', () => {
  expect(isTtlParameter('ttlMonitorSleepSecs')).toBe(true);
  expect(isTtlParameter('constructor')).toBe(false);
});

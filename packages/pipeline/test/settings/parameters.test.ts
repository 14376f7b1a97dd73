import { CommandError, IdSource, VERSIONS } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { FAIL_POINT_NAMES, FailPoints, failPointParameters, ParameterStore, parametersOf } from '../../src/index.ts';

// Every parameter is read by the same rules, from a command line (a text) or from setParameter.

const parse = (name: string, value: unknown) =>
  new ParameterStore(parametersOf(VERSIONS['8.0']), { [name]: value }).get(name);

const ofSimpleTypes = parametersOf(VERSIONS['8.0']).filter(({ type }) => type !== 'document' && type !== 'strings');
test.for(ofSimpleTypes)('$name takes its default', ({ default: value, parse }) => {
  expect(parse(value)).toBe(value);
  expect(parse(String(value))).toBe(value);
});

test.for<[name: string, value: unknown, parsed: unknown]>([
  ['ttlMonitorEnabled', 'false', false],
  ['ttlMonitorEnabled', 0, false],
  ['ttlMonitorEnabled', '1', true],
  ['ttlMonitorSleepSecs', 1, 1],
  ['ttlMonitorSleepSecs', 5n, 5],
  ['ttlMonitorSubPassTargetSecs', 0, 0],
  ['batchedDeletesTargetStagedDocBytes', 2 ** 40, 2 ** 40],
  ['replBatchLimitOperations', '7', 7],
  ['syncdelay', '0.5', 0.5],
  ['syncdelay', 0.5, 0.5],
  ['anyUserPasswords', 'secret', ['secret']],
  ['clientLogLinesPerSecond', '0', 0],
  ['networkMessageCompressors', 'zlib,noop', ['zlib', 'noop']],
  ['networkMessageCompressors', 'disabled', []],
  ['anyUserPasswords', ['a', 'b c'], ['a', 'b c']],
  ['authenticationMechanisms', 'SCRAM-SHA-1', ['SCRAM-SHA-1']],
  ['authenticationMechanisms', 'SCRAM-SHA-1,SCRAM-SHA-256', ['SCRAM-SHA-1', 'SCRAM-SHA-256']],
  ['authenticationMechanisms', ['SCRAM-SHA-256'], ['SCRAM-SHA-256']],
])('%s: %o', ([name, value, parsed]) => {
  expect(parse(name, value)).toEqual(parsed);
});

test.for<[name: string, value: unknown, gist: string]>([
  ['ttlMonitorSleepSecs', 0, 'ttlMonitorSleepSecs: 0 is not greater than 0'],
  ['ttlMonitorSleepSecs', '-1', 'ttlMonitorSleepSecs: -1 is not greater than 0'],
  ['ttlMonitorSleepSecs', 2 ** 31, 'is not a 32-bit integer'],
  ['ttlMonitorSleepSecs', 1.9, 'ttlMonitorSleepSecs: 1.9 is not a 32-bit integer'],
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
  ['replBatchLimitOperations', '7.5', 'replBatchLimitOperations: 7.5 is not a 32-bit integer'],
  ['replBatchLimitOperations', 1_000_001, 'is not less than or equal to 1000000'],
  ['replElectionTimeoutOffsetLimitFraction', 0.01, 'is not greater than 0.01'],
  ['syncdelay', 'x', 'is not a number'],
  ['anyUserPasswords', '', 'is no password'],
  ['networkMessageCompressors', 'zlib,gzip', 'is none of snappy, zstd, zlib, noop, nor disabled'],
  ['anyUserPasswords', 'pässword', 'is no password: some printable ASCII'],
  ['anyUserPasswords', ['a', 1], 'is no password'],
  ['authenticationMechanisms', 'MONGODB-CR', 'MONGODB-CR is none of MONGODB-X509, SCRAM-SHA-1, SCRAM-SHA-256'],
  ['authenticationMechanisms', ['SCRAM-SHA-1', 1], '1 is none of'],
  ['ttlMonitorEnabled', 'yes', 'is not a boolean'],
  ['ttlMonitorBatchDeletes', null, 'is not a boolean'],
])('%s: %o is a BadValue', ([name, value, gist]) => {
  try {
    parse(name, value);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(CommandError);
    expect(error).toMatchObject({ code: 2, message: expect.stringContaining(gist) });
  }
});

// A command has BSON: no text is a number, a fraction is dropped, and what is true is 1.
const set = (name: string, value: unknown) => new ParameterStore(parametersOf(VERSIONS['8.0'])).parse(name, value);

test.for<[name: string, value: unknown, parsed: unknown]>([
  ['ttlMonitorSleepSecs', 7, 7],
  ['ttlMonitorSleepSecs', 7n, 7],
  ['ttlMonitorSleepSecs', 1.9, 1],
  ['ttlMonitorSleepSecs', true, 1],
  ['ttlMonitorSubPassTargetSecs', -0.5, 0],
  ['syncdelay', 0.5, 0.5],
  ['ttlMonitorEnabled', 0, false],
  ['ttlMonitorEnabled', 'false', true],
  ['ttlMonitorEnabled', 'yes', true],
  ['ttlMonitorEnabled', null, false],
])('set by a command, %s: %o', ([name, value, parsed]) => {
  expect(set(name, value)).toBe(parsed);
});

test.for<[name: string, value: unknown]>([
  ['ttlMonitorSleepSecs', '7'],
  ['ttlMonitorSleepSecs', null],
  ['ttlMonitorSleepSecs', {}],
  ['ttlMonitorSleepSecs', Number.POSITIVE_INFINITY],
  ['batchedDeletesTargetStagedDocBytes', '1024'],
  ['syncdelay', '0.5'],
  ['logLevel', '2'],
])('set by a command, %s: %o is a BadValue', ([name, value]) => {
  expect(() => set(name, value)).toThrow(expect.objectContaining({ code: 2 }));
});

describe('fail points', () => {
  /** A process that is started so. */
  function started(startup: Readonly<Record<string, unknown>>) {
    const failPoints = new FailPoints(new IdSource([1, 2]));
    const definitions = [...parametersOf(VERSIONS['8.0']), ...failPointParameters(startup, failPoints)];
    return { failPoints, parameters: new ParameterStore(definitions, startup) };
  }

  test.for<[given: unknown, shown: Readonly<Record<string, unknown>>]>([
    [{ mode: 'off' }, { mode: 0, data: {} }],
    [{ mode: 'alwaysOn' }, { mode: 1, data: {} }],
    [{ mode: { activationProbability: 0.5 } }, { mode: 2, data: {} }],
    [
      { mode: { times: 2 }, data: { errorCode: 6 } },
      { mode: 3, data: { errorCode: 6 } },
    ],
    [
      { mode: { skip: 2 }, more: 1 },
      { mode: 4, data: {} },
    ],
    ['{"mode": "alwaysOn", "data": {"failCommands": ["ping"]}}', { mode: 1, data: { failCommands: ['ping'] } }],
    ["{mode: 'alwaysOn', data: {appName: \"it's: {a: 1}\"}}", { mode: 1, data: { appName: "it's: {a: 1}" } }],
    ["{ mode: { times: 1 }, data: { $x: 'a \\'b\\'' } }", { mode: 3, data: { $x: "a 'b'" } }],
  ])('at the start: %o', ([given, shown]) => {
    const { parameters, failPoints } = started({ 'failpoint.failCommand': given });
    expect(parameters.shown('failpoint.failCommand')).toEqual({ ...shown, timesEntered: 0n });
    expect(failPoints.isArmed('failCommand')).toBe(![0, 4].includes(shown.mode as number));
  });

  test('each of them has a parameter, which cannot be set later', () => {
    const { parameters } = started({});
    for (const name of FAIL_POINT_NAMES) {
      expect(parameters.shown(`failpoint.${name}`)).toEqual({ mode: 0, data: {}, timesEntered: 0n });
      expect(() => parameters.parse(`failpoint.${name}`, { mode: 'off' })).toThrow(
        /not allowed to change .* at runtime/,
      );
    }
  });

  test.for<[startup: Readonly<Record<string, unknown>>, gist: RegExp]>([
    [{ 'failpoint.nope': { mode: 'off' } }, /^Unknown --setParameter 'failpoint.nope'$/],
    [{ 'failpoint.hangHeartbeatReconfigStore': { mode: 'off' } }, /mongod has it, and replsim does not/],
    [{ 'failpoint.failCommand': {} }, /FailPoint mode must be given/],
    [{ 'failpoint.failCommand': '{mode: ' }, /this is no JSON/],
    [{ 'failpoint.failCommand': [] }, /a document is expected/],
    [{ enableTestCommands: false, 'failpoint.failCommand': { mode: 'off' } }, /^Unknown --setParameter/],
  ])('a process does not start with %o', ([startup, gist]) => {
    expect(() => started(startup)).toThrow(gist);
  });
});

import { Random } from '@replsim/kernel';
import { expect, test } from 'vitest';
import { Driver } from '../src/driver.ts';
import { DEFAULT_DRIVER_OPTIONS, type DriverOptions } from '../src/driverOptions.ts';
import { type Operation, type Outcome, performOperation } from '../src/operation.ts';
import type { ReadPreferenceMode } from '../src/readPreference.ts';
import { runWaiting } from '../src/waiting.ts';
import { FakeEnd, primary, secondary } from './fakeEnd.ts';

const INSERT: Operation = {
  kind: 'write',
  retryable: true,
  command: new Map<string, unknown>([
    ['insert', 'c'],
    ['$db', 'app'],
  ]),
};
const find = (mode: ReadPreferenceMode = 'primary'): Operation => ({
  kind: 'read',
  retryable: true,
  command: new Map([
    ['find', 'c'],
    ['$db', 'app'],
  ]),
  readPreference: { mode },
});
const labelled = (code: number, ...labels: string[]) => ({
  ok: 0,
  code,
  errmsg: 'no',
  errorLabels: ['RetryableWriteError', ...labels],
});

/** A client of a set whose primary is a. */
function client(options: Partial<DriverOptions> = {}) {
  const end = new FakeEnd();
  end.hellos.set('a:1', primary('a:1')).set('b:1', secondary('b:1')).set('c:1', secondary('c:1'));
  const driver = new Driver(
    end,
    'rs',
    ['a:1', 'b:1', 'c:1'],
    { ...DEFAULT_DRIVER_OPTIONS, ...options },
    Random.fromSeed(1),
  );
  const told: string[] = [];
  const describe = (outcome: Outcome) =>
    outcome.kind === 'reply'
      ? `reply from ${outcome.server}`
      : `${outcome.kind}${outcome.reached ? ', reached' : ''}: ${outcome.errmsg}`;
  const run = (operation: Operation) =>
    runWaiting(
      performOperation(driver, operation, () => {}),
      (outcome) => told.push(`${end.nowMicros / 1000} ${describe(outcome)}`),
    );
  return { end, driver, told, run };
}

// --- monitoring -------------------------------------------------------------------------------------------------------

test('each server is asked for its hello at once, and every heartbeatFrequencyMS', () => {
  const { end, driver } = client();
  end.advanceTo(25_000);
  for (const address of ['a:1', 'b:1', 'c:1']) expect(end.hellosTo(address)).toEqual([0, 10_002, 20_004]);
  driver.close();
  end.advanceTo(100_000);
  expect(end.hellosTo('a:1')).toHaveLength(3);
});

test('an operation that waits for a server has it asked again, but not more often than every 500 ms', () => {
  const { end, run, told } = client();
  end.hellos.set('a:1', secondary('a:1'));
  end.advanceTo(3_000);
  run(INSERT);
  end.advanceTo(4_600);
  expect(end.hellosTo('b:1')).toEqual([0, 3_000, 3_500, 4_000, 4_500]);
  end.hellos.set('b:1', primary('b:1', 2));
  end.advanceTo(6_000);
  expect(told).toEqual(['5004 reply from b:1']);
});

test('round trips are averaged, the newest with a weight of a fifth', () => {
  const { end, driver } = client();
  end.advanceTo(1);
  expect(driver.topology.servers.get('a:1')?.roundTripMicros).toBeUndefined();
  end.advanceTo(3);
  expect(driver.topology.servers.get('a:1')?.roundTripMicros).toBe(2_000);
});

test('a server whose hello fails is Unknown; one that was known is asked once more at once', () => {
  const { end, driver } = client();
  end.advanceTo(5_000);
  end.hellos.set('b:1', 'closed');
  end.advanceTo(15_000);
  expect(driver.topology.servers.get('b:1')).toMatchObject({ type: 'Unknown', error: 'b:1 closed' });
  expect(end.hellosTo('b:1')).toEqual([0, 10_002, 10_004]);
});

test('a hello that is not answered ends after connectTimeoutMS, and with it whatever waits on that server', () => {
  const { end, run, told } = client({ connectTimeoutMS: 1_000, retryWrites: false });
  end.advanceTo(9_000);
  end.does = () => 'silent';
  end.hellos.set('a:1', 'silent');
  run(INSERT);
  end.advanceTo(30_000);
  expect(told).toEqual(['11002 networkError, reached: connection to a:1 was interrupted: its monitor hears nothing']);
});

// --- finding a server -------------------------------------------------------------------------------------------------

test('nobody fits: an error after serverSelectionTimeoutMS that says what is known', () => {
  const { end, run, told } = client({ serverSelectionTimeoutMS: 5_000 });
  end.hellos.set('a:1', 'refused');
  run(INSERT);
  end.advanceTo(20_000);
  expect(told).toEqual(['5000 noServer: Server selection timed out after 5000 ms; a:1: a:1 refused']);
  expect(end.operations).toEqual([]);
});

test('of several that fit one is chosen by chance, of its own stream', () => {
  const { end, run } = client();
  end.advanceTo(10);
  for (let turn = 0; turn < 20; turn++) run(find('secondary'));
  const chosen = end.operations.map((line) => line.split(' ')[1]);
  expect(new Set(chosen)).toEqual(new Set(['b:1', 'c:1']));
});

test('a read says where it wants to be read, but for the primary', () => {
  const { end, run } = client();
  end.advanceTo(10);
  run(find('secondaryPreferred'));
  run(find('primary'));
  expect(end.commands.map(({ $readPreference }) => $readPreference)).toEqual([
    { mode: 'secondaryPreferred' },
    undefined,
  ]);
});

// --- once more --------------------------------------------------------------------------------------------------------

/** a fails, and b is primary from then on. */
const failsOver = (end: FakeEnd, failure: object | 'closed' | 'refused' | 'silent', then: object = { ok: 1 }) => {
  end.does = (address) => {
    if (address !== 'a:1') return then;
    end.hellos.set('a:1', secondary('a:1')).set('b:1', primary('b:1', 2));
    return failure;
  };
};

test.for([
  ['a labelled error', labelled(10107)],
  ['a labelled write concern error', { ok: 1, writeConcernError: { code: 91 }, errorLabels: ['RetryableWriteError'] }],
  ['a connection that broke', 'closed'],
  ['a refused connection', 'refused'],
] as const)('a write is sent once more, with the same session and number: %s', ([, failure]) => {
  const { end, run, told } = client();
  end.advanceTo(1_000);
  failsOver(end, failure);
  run(INSERT);
  end.advanceTo(20_000);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/reply from b:1/);
  expect(end.commands).toHaveLength(2);
  expect(end.commands[0]).toMatchObject({ txnNumber: 1 });
  expect(end.commands[1]).toEqual(end.commands[0]);
});

test('there is no third attempt', () => {
  const { end, run, told } = client();
  end.advanceTo(1_000);
  failsOver(end, 'closed', labelled(189));
  run(INSERT);
  end.advanceTo(60_000);
  expect(told).toHaveLength(1);
  expect(end.commands).toHaveLength(2);
});

test('a second failure that says that nothing was written gives way to the first', () => {
  const { end, run, told } = client();
  end.advanceTo(1_000);
  failsOver(end, 'closed', labelled(91, 'NoWritesPerformed'));
  run(INSERT);
  end.advanceTo(60_000);
  expect(told[0]).toMatch(/networkError, reached: a:1 closed/);
});

test('where no server is found for the second attempt, the first error is what the application hears', () => {
  const { end, run, told } = client();
  end.advanceTo(1_000);
  end.does = () => {
    end.hellos.set('a:1', secondary('a:1'));
    return 'closed';
  };
  run(INSERT);
  end.advanceTo(60_000);
  expect(told).toEqual(['31002 networkError, reached: a:1 closed']);
});

test.for([
  ['retryWrites=false', INSERT, { retryWrites: false }, 'closed'],
  ['a write of many', { ...INSERT, retryable: false }, {}, 'closed'],
  ['w 0', { ...INSERT, command: new Map([...INSERT.command, ['writeConcern', new Map([['w', 0]])]]) }, {}, 'closed'],
  ['an error without a label', INSERT, {}, { ok: 0, code: 11000, errmsg: 'E11000' }],
  ['retryReads=false', find(), { retryReads: false }, { ok: 0, code: 10107, errmsg: 'no' }],
  ['a read with an error that time does not mend', find(), {}, { ok: 0, code: 43, errmsg: 'no cursor' }],
] as const)('only one attempt: %s', ([, operation, options, failure]) => {
  const { end, run } = client(options as Partial<DriverOptions>);
  end.advanceTo(1_000);
  failsOver(end, failure);
  run(operation as Operation);
  end.advanceTo(60_000);
  expect(end.commands).toHaveLength(1);
});

test('a number goes only with a write that may be repeated', () => {
  const { end, run } = client();
  end.advanceTo(1_000);
  run(INSERT);
  run({ ...INSERT, retryable: false });
  run(find());
  run(INSERT);
  expect(end.commands.map(({ txnNumber }) => txnNumber)).toEqual([1, undefined, undefined, 2]);
});

test('socketTimeoutMS ends an attempt; the server stays known, and the write is sent once more', () => {
  const { end, run, told, driver } = client({ socketTimeoutMS: 500 });
  end.advanceTo(1_000);
  let first = true;
  end.does = () => {
    if (!first) return { ok: 1 };
    first = false;
    return 'silent';
  };
  run(INSERT);
  end.advanceTo(1_501);
  expect(driver.topology.servers.get('a:1')?.type).toBe('RSPrimary');
  end.advanceTo(2_000);
  expect(told).toEqual(['1502 reply from a:1']);
});

// --- what a client learns from answers --------------------------------------------------------------------------------

test('an error that tells of a change of state makes the server Unknown, and it is asked at once', () => {
  const { end, run, driver } = client();
  end.advanceTo(1_000);
  end.does = () => ({ ok: 0, code: 10107, errmsg: 'not primary' });
  run(INSERT);
  end.advanceTo(1_002);
  expect(driver.topology.servers.get('a:1')).toMatchObject({ type: 'Unknown', error: 'not primary' });
  expect(end.hellosTo('a:1')).toEqual([0, 1_002]);
});

test('one that is older than what the client has seen since then does not', () => {
  const { end, run, driver } = client();
  const topologyVersion = { processId: 'x', counter: 5 };
  end.hellos.set('a:1', primary('a:1', 1, { topologyVersion }));
  end.advanceTo(1_000);
  end.does = () => ({ ok: 0, code: 10107, errmsg: 'not primary', topologyVersion });
  run(INSERT);
  end.advanceTo(1_003);
  expect(driver.topology.servers.get('a:1')?.type).toBe('RSPrimary');
  expect(end.hellosTo('a:1')).toEqual([0]);
});

import { Random } from '@replsim/kernel';
import { expect, test } from 'vitest';
import { Driver } from '../src/driver.ts';
import { DEFAULT_DRIVER_OPTIONS } from '../src/driverOptions.ts';
import { ClientSession, type TransactionOptions } from '../src/session.ts';
import { type TransactionEnd, withTransaction } from '../src/transaction.ts';
import { runWaiting } from '../src/waiting.ts';
import { FakeEnd, primary, secondary } from './fakeEnd.ts';

type Command = Record<string, unknown>;

const TRANSIENT = { ok: 0, code: 112, errmsg: 'conflict', errorLabels: ['TransientTransactionError'] };
const RETRYABLE = { ok: 0, code: 91, errmsg: 'shutting down', errorLabels: ['RetryableWriteError'] };
const OF_CONCERN = (code: number) => ({ ok: 1, writeConcernError: { code, errmsg: 'not met' } });

/** Runs an insert and a commit against a primary that answers so, one answer after the other and then success. */
function run(answers: readonly (object | 'closed' | 'silent')[], options: TransactionOptions = {}, ms = 200_000) {
  const end = new FakeEnd();
  end.hellos.set('a:1', primary('a:1'));
  for (const each of ['b:1', 'c:1']) end.hellos.set(each, secondary(each));
  const rest = [...answers];
  end.does = (_, command) => ('abortTransaction' in command ? { ok: 1 } : (rest.shift() ?? { ok: 1 }));
  const random = Random.fromSeed(1);
  const driver = new Driver(end, 'rs', ['a:1'], { ...DEFAULT_DRIVER_OPTIONS, socketTimeoutMS: 10_000 }, random);
  const session = new ClientSession(random.split('session'), { causal: true });
  const attempts: string[] = [];
  let result: TransactionEnd | undefined;
  const work = withTransaction(
    driver,
    session,
    options,
    function* (statement) {
      yield* statement(
        new Map<string, unknown>([
          ['insert', 'c'],
          ['$db', 'a'],
        ]),
      );
    },
    ({ attempt, txnNumber, again }) => attempts.push(`${attempt} of ${txnNumber}${again ? `, ${again} again` : ''}`),
  );
  runWaiting(work, (each) => {
    result = each;
  });
  end.advanceTo(ms);
  driver.close();
  const sent = (end.commands as Command[]).map(
    ({ txnNumber, ...command }) => `${Object.keys(command)[0]} ${txnNumber}`,
  );
  return { result, attempts, sent, commands: end.commands as Command[] };
}

test('one that succeeds: its fields, its concerns where they belong', () => {
  const { result, sent, commands, attempts } = run([], {
    readConcern: new Map([['level', 'snapshot']]),
    writeConcern: new Map([['w', 2]]),
    maxCommitTimeMS: 700,
  });
  expect(result).toMatchObject({ inDoubt: false, aborted: 0, outcome: { kind: 'reply' } });
  expect(sent).toEqual(['insert 1', 'commitTransaction 1']);
  expect(commands[0]).toMatchObject({ autocommit: false, startTransaction: true, readConcern: { level: 'snapshot' } });
  expect(commands[0]).not.toHaveProperty('writeConcern');
  expect(commands[1]).toMatchObject({ autocommit: false, writeConcern: { w: 2 }, maxTimeMS: 700, $db: 'admin' });
  expect(commands[1]).not.toHaveProperty('startTransaction');
  expect(attempts).toEqual(['1 of 1']);
});

test.for<[what: string, answers: (object | 'closed')[], sent: string[], inDoubt: boolean, aborted: number]>([
  [
    'a statement in conflict',
    [TRANSIENT],
    ['insert 1', 'abortTransaction 1', 'insert 2', 'commitTransaction 2'],
    false,
    1,
  ],
  [
    'a statement whose connection breaks',
    ['closed'],
    ['insert 1', 'abortTransaction 1', 'insert 2', 'commitTransaction 2'],
    false,
    1,
  ],
  [
    'a commit in conflict',
    [{ ok: 1 }, TRANSIENT],
    ['insert 1', 'commitTransaction 1', 'insert 2', 'commitTransaction 2'],
    false,
    1,
  ],
  [
    'a commit whose connection breaks',
    [{ ok: 1 }, 'closed'],
    ['insert 1', 'commitTransaction 1', 'commitTransaction 1'],
    false,
    0,
  ],
  [
    'a commit at a shutdown',
    [{ ok: 1 }, RETRYABLE],
    ['insert 1', 'commitTransaction 1', 'commitTransaction 1'],
    false,
    0,
  ],
  [
    'a commit whose concern is missed',
    [{ ok: 1 }, OF_CONCERN(64)],
    ['insert 1', 'commitTransaction 1', 'commitTransaction 1'],
    false,
    0,
  ],
  ['a concern that nobody can meet', [{ ok: 1 }, OF_CONCERN(100)], ['insert 1', 'commitTransaction 1'], false, 1],
  [
    'a commit out of time',
    [{ ok: 1 }, { ok: 0, code: 50, errmsg: 'out of time' }],
    ['insert 1', 'commitTransaction 1'],
    true,
    0,
  ],
  [
    'a duplicate key',
    [{ ok: 1, writeErrors: [{ code: 11000, errmsg: 'duplicate' }] }],
    ['insert 1', 'abortTransaction 1'],
    false,
    1,
  ],
])('%s', ([, answers, sent, inDoubt, aborted]) => {
  const run1 = run(answers);
  expect(run1.sent).toEqual(sent);
  expect(run1.result).toMatchObject({ inDoubt, aborted });
});

test('a commit that is sent again asks for a majority, and each beginning and each such commit is told', () => {
  const { commands, attempts } = run([TRANSIENT, { ok: 1 }, RETRYABLE], {
    writeConcern: new Map<string, unknown>([
      ['w', 1],
      ['j', true],
    ]),
  });
  expect(commands.at(-2)).toMatchObject({ commitTransaction: 1, writeConcern: { w: 1, j: true } });
  expect(commands.at(-1)).toMatchObject({
    commitTransaction: 1,
    writeConcern: { w: 'majority', j: true, wtimeout: 10_000 },
  });
  expect(attempts).toEqual(['1 of 1', '2 of 2, transaction again', '3 of 2, commit again']);
});

test('after two minutes it is given up, in doubt if it is the commit', () => {
  const conflicts = run(Array.from({ length: 10_000 }, () => TRANSIENT));
  expect(conflicts.result).toMatchObject({ inDoubt: false });
  expect(conflicts.result!.aborted).toBeGreaterThan(100);
  const commits = run([{ ok: 1 }, ...Array.from({ length: 100 }, () => 'silent' as const)]);
  expect(commits.result).toMatchObject({ inDoubt: true, aborted: 0 });
  const waiting = run(
    Array.from({ length: 100_000 }, () => TRANSIENT),
    {},
    119_000,
  );
  expect(waiting.result).toBeUndefined();
});

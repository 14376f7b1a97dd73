import { ErrorCodes } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { isStateChangeError, withErrorLabels } from '../../src/replies/errorLabels.ts';
import { FakeMember, RETRYABLE } from '../fakeMember.ts';

// Which errors bear which labels.

const RETRIABLE = [6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436];
const STATE_CHANGE = [91, 189, 10107, 11600, 11602, 13435, 13436];
/** Whatever fails with them, a stream that is resumed fails for good. */
const STREAM_IS_OVER = [280, 286];
const NO_SUCH_TRANSACTION = 251;
const TRANSIENT = [112, 24, 246, 239, NO_SUCH_TRANSACTION, 267];
const CODES = [...new Set([...Object.values(ErrorCodes), ...RETRIABLE, ...TRANSIENT])].filter((code) => code !== 0);

describe.for(CODES)('code %i', (code) => {
  const labels = RETRIABLE.includes(code) ? ['RetryableWriteError'] : undefined;
  const failed = { ok: 0, code };
  const over = STREAM_IS_OVER.includes(code) ? ['NonResumableChangeStreamError'] : undefined;
  const late = { ok: 1, n: 1, writeConcernError: { code } };

  test('fails a retryable write before or after it wrote', () => {
    expect(withErrorLabels(failed, 'retryableWrite', true).errorLabels).toEqual(over ?? labels);
    expect(withErrorLabels(failed, 'retryableWrite', false).errorLabels).toEqual(
      over ?? (labels && [...labels, 'NoWritesPerformed']),
    );
  });

  test('fails its write concern: the label stands at top level', () => {
    expect(withErrorLabels(late, 'retryableWrite', true)).toEqual(labels ? { ...late, errorLabels: labels } : late);
  });

  test('fails one of its statements, or what is no retryable write', () => {
    const statement = { ok: 1, n: 0, writeErrors: [{ index: 0, code, errmsg: '' }] };
    expect(withErrorLabels(statement, 'retryableWrite', false)).toEqual(statement);
    expect(withErrorLabels(failed, undefined, false)).toEqual(over ? { ...failed, errorLabels: over } : failed);
    expect(withErrorLabels(late, undefined, true)).toEqual(late);
  });

  test('fails a statement of a transaction', () => {
    const errorLabels =
      TRANSIENT.includes(code) || RETRIABLE.includes(code) ? ['TransientTransactionError'] : undefined;
    expect(withErrorLabels(failed, 'inTransaction', false).errorLabels).toEqual(over ?? errorLabels);
  });

  test('fails the end of a transaction', () => {
    const transient = TRANSIENT.includes(code) ? ['TransientTransactionError'] : undefined;
    expect(withErrorLabels(failed, 'endOfTransaction', true).errorLabels).toEqual(over ?? transient ?? labels);
    const early = labels && [...labels, 'NoWritesPerformed'];
    expect(withErrorLabels(failed, 'endOfTransaction', false).errorLabels).toEqual(over ?? transient ?? early);
    // What is not replicated may still come about, so that the transaction must not begin anew.
    expect(withErrorLabels(late, 'endOfTransaction', true).errorLabels).toEqual(labels);
    const unsure = { ok: 0, code: NO_SUCH_TRANSACTION, writeConcernError: { code, errmsg: '' } };
    expect(withErrorLabels(unsure, 'endOfTransaction', true).errorLabels).toEqual(labels);
  });

  test('tells of a change of state, or does not', () => {
    expect(isStateChangeError(code)).toBe(STATE_CHANGE.includes(code));
  });
});

test('labels that were given stand, even none', () => {
  expect(withErrorLabels({ ok: 0, code: 91, errorLabels: [] }, 'retryableWrite', false).errorLabels).toEqual([]);
});

describe('which commands are retryable writes', () => {
  const members = () => {
    const member = new FakeMember();
    member.ok({
      configureFailPoint: 'failCommand',
      mode: 'alwaysOn',
      data: { failCommands: ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite', 'find', 'create'], errorCode: 91 },
    }, 'admin'); // biome-ignore format: one point
    return member;
  };
  test.for([
    { command: { insert: 'c', documents: [{}] }, labelled: true },
    { command: { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }] }, labelled: true },
    { command: { delete: 'c', deletes: [{ q: {}, limit: 1 }] }, labelled: true },
    { command: { findAndModify: 'c', query: {}, remove: true }, labelled: true },
    { command: { bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns: 'app.c' }] }, labelled: true },
    { command: { find: 'c' }, labelled: false },
    { command: { create: 'c' }, labelled: false },
  ])('$command: $labelled', ({ command, labelled }) => {
    const db = 'bulkWrite' in command ? 'admin' : 'app';
    const labels = labelled ? ['RetryableWriteError', 'NoWritesPerformed'] : undefined;
    expect(members().run({ ...command, ...RETRYABLE }, db).errorLabels).toEqual(labels);
    expect(members().run(command, db).errorLabels).toBeUndefined();
  });
});

describe('what belongs to a transaction', () => {
  const inTransaction = { ...RETRYABLE, autocommit: false };
  const write = { insert: 'c', documents: [{}], ...inTransaction };
  const end = { ...inTransaction, $db: 'admin' };

  test.for<[command: object, code: number, labels: string[] | undefined]>([
    [{ ...write, startTransaction: true }, 10107, ['TransientTransactionError']],
    [write, 112, ['TransientTransactionError']],
    [write, 11000, undefined],
    [{ find: 'c', ...inTransaction }, 251, ['TransientTransactionError']],
    [{ commitTransaction: 1, ...end }, 112, ['TransientTransactionError']],
    [{ commitTransaction: 1, ...end }, 10107, ['RetryableWriteError', 'NoWritesPerformed']],
    [{ abortTransaction: 1, ...end }, 10107, ['RetryableWriteError', 'NoWritesPerformed']],
    [{ abortTransaction: 1, ...end }, 8, undefined],
  ])('%j with %i', ([command, errorCode, labels]) => {
    const member = new FakeMember();
    const data = { failCommands: ['insert', 'find', 'commitTransaction', 'abortTransaction'], errorCode };
    member.ok({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data }, 'admin');
    expect(member.run(command, '$db' in command ? 'admin' : 'app').errorLabels).toEqual(labels);
  });
});

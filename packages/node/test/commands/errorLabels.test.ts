import { ErrorCodes } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { isStateChangeError, withRetryLabel } from '../../src/commands/errorLabels.ts';
import { FakeMember, RETRYABLE } from './fakeMember.ts';

// wire.md §13, row by row.

const RETRIABLE = [6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436];
const STATE_CHANGE = [91, 189, 10107, 11600, 11602, 13435, 13436];
const CODES = [...new Set([...Object.values(ErrorCodes), ...RETRIABLE])].filter((code) => code !== 0);

describe.for(CODES)('code %i', (code) => {
  const labels = RETRIABLE.includes(code) ? ['RetryableWriteError'] : undefined;
  const failed = { ok: 0, code };
  const late = { ok: 1, n: 1, writeConcernError: { code } };

  test('fails a retryable write before or after it wrote', () => {
    expect(withRetryLabel(failed, true, true).errorLabels).toEqual(labels);
    expect(withRetryLabel(failed, true, false).errorLabels).toEqual(labels && [...labels, 'NoWritesPerformed']);
  });

  test('fails its write concern: the label stands at top level', () => {
    expect(withRetryLabel(late, true, true)).toEqual(labels ? { ...late, errorLabels: labels } : late);
  });

  test('fails one of its statements, or what is no retryable write', () => {
    const statement = { ok: 1, n: 0, writeErrors: [{ index: 0, code, errmsg: '' }] };
    expect(withRetryLabel(statement, true, false)).toEqual(statement);
    expect(withRetryLabel(failed, false, false)).toEqual(failed);
    expect(withRetryLabel(late, false, true)).toEqual(late);
  });

  test('tells of a change of state, or does not', () => {
    expect(isStateChangeError(code)).toBe(STATE_CHANGE.includes(code));
  });
});

test('labels that were given stand, even none', () => {
  expect(withRetryLabel({ ok: 0, code: 91, errorLabels: [] }, true, false).errorLabels).toEqual([]);
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

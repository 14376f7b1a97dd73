import { expect, test } from 'vitest';
import { CommandError, codeNameOf, type ErrorCodeName, ErrorCodes, InvariantError, invariant } from '../src/index.ts';

test('no number has two names', () => {
  const numbers = Object.values(ErrorCodes);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.every((code) => Number.isInteger(code) && code >= 0)).toBe(true);
});

test('every code gives back its name', () => {
  for (const [name, code] of Object.entries(ErrorCodes)) expect(codeNameOf(code)).toBe(name);
});

test('a number without a name is a location', () => {
  expect(codeNameOf(51121)).toBe('Location51121');
});

/** Numbers that drivers act upon, or that clients of a replica set meet. Upstream: error_codes.yml. */
test.for<[ErrorCodeName, number]>([
  ['HostUnreachable', 6],
  ['CannotMutateObject', 10],
  ['UserNotFound', 11],
  ['AlreadyInitialized', 23],
  ['RoleNotFound', 31],
  ['CursorNotFound', 43],
  ['NoMatchingDocument', 47],
  ['WriteConcernFailed', 64],
  ['NodeNotFound', 74],
  ['NoReplicationEnabled', 76],
  ['UnknownReplWriteConcern', 79],
  ['ShutdownInProgress', 91],
  ['InvalidReplicaSetConfig', 93],
  ['NotYetInitialized', 94],
  ['NotSecondary', 95],
  ['UnsatisfiableWriteConcern', 100],
  ['NewReplicaSetConfigurationIncompatible', 103],
  ['ConfigurationInProgress', 109],
  ['CannotInitializeNodeWithData', 110],
  ['InitialSyncFailure', 113],
  ['ConflictingOperationInProgress', 117],
  ['InvalidSyncSource', 119],
  ['OplogStartMissing', 120],
  ['UnrecoverableRollbackError', 127],
  ['FailedToSatisfyReadPreference', 133],
  ['StaleTerm', 135],
  ['CappedPositionLost', 136],
  ['CursorInUse', 143],
  ['ExceededMemoryLimit', 146],
  ['StaleEpoch', 150],
  ['OplogOutOfOrder', 152],
  ['CannotIndexParallelArrays', 171],
  ['LinearizableReadConcernError', 187],
  ['PrimarySteppedDown', 189],
  ['NoSuchSession', 206],
  ['RetryChangeStream', 234],
  ['ExceededTimeLimit', 262],
  ['CurrentConfigNotCommittedYet', 308],
  ['TooStaleToSyncFromSource', 315],
  ['TemporarilyUnavailable', 365],
  ['TransactionTooLargeForCache', 388],
  ['NotWritablePrimary', 10107],
  ['DuplicateKey', 11000],
  ['InterruptedAtShutdown', 11600],
  ['InterruptedDueToReplStateChange', 11602],
  ['DatabaseDifferCase', 13297],
  ['StaleConfig', 13388],
  ['NotPrimaryNoSecondaryOk', 13435],
  ['NotPrimaryOrSecondary', 13436],
  ['IDLFailedToParse', 40414],
])('%s is %i', ([name, code]) => expect(ErrorCodes[name]).toBe(code));

test('a CommandError carries number, name and what else the reply shows', () => {
  const error = new CommandError('DuplicateKey', 'E11000 duplicate key', { keyPattern: { _id: 1 } });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'CommandError',
    code: 11000,
    codeName: 'DuplicateKey',
    message: 'E11000 duplicate key',
  });
  expect(error.extra).toEqual({ keyPattern: { _id: 1 } });
  expect(new CommandError(5624102, 'no').codeName).toBe('Location5624102');
});

test('an invariant that fails is a bug of ours, not an answer to a client', () => {
  expect(() => invariant(true, 'holds')).not.toThrow();
  expect(() => invariant(0, 'two primaries in one term')).toThrow(new InvariantError('two primaries in one term'));
  expect(new InvariantError('x')).not.toBeInstanceOf(CommandError);
});

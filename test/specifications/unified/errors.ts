import {
  type Document,
  MongoClientBulkWriteError,
  MongoError,
  MongoOperationTimeoutError,
  MongoServerError,
} from 'mongodb';
import type { ExpectedError } from './format.ts';
import { match, type Named } from './match.ts';
import { bulkResult } from './operations/client.ts';
import { Failure, shown } from './verdicts.ts';

/** @throws Failure unless an operation's error is as described */
export function matchError(expected: ExpectedError, error: Error, named: Named): void {
  const { name, message } = error;
  const expectThat = (holds: boolean, what: string) => {
    if (!holds) throw new Failure(`${what} expected, not ${name}: ${message}`);
  };
  // A client's bulk write tells of the error that ended it as of its cause.
  const told: Document = error.cause instanceof MongoError ? error.cause : error;
  const { isClientError, isTimeoutError, errorContains, errorCode, errorCodeName } = expected;
  if (isClientError !== undefined)
    expectThat(isOfServer(error) !== isClientError, `an error of the ${isClientError ? 'client' : 'server'}`);
  if (isTimeoutError !== undefined)
    expectThat(error instanceof MongoOperationTimeoutError === isTimeoutError, `isTimeoutError ${isTimeoutError}`);
  if (errorContains !== undefined)
    expectThat(message.toLowerCase().includes(errorContains.toLowerCase()), `"${errorContains}"`);
  if (errorCode !== undefined) expectThat(told.code === errorCode, `code ${errorCode}, found ${told.code},`);
  if (errorCodeName !== undefined) expectThat(codeNamesOf(told).includes(errorCodeName), `codeName ${errorCodeName}`);
  const has = (label: string) =>
    error instanceof MongoError && (error.hasErrorLabel(label) || told.hasErrorLabel(label));
  for (const label of expected.errorLabelsContain ?? []) expectThat(has(label), `label ${label}`);
  for (const label of expected.errorLabelsOmit ?? []) expectThat(!has(label), `no label ${label}`);
  if (expected.errorResponse) match(expected.errorResponse, told.errorResponse, named, 'errorResponse');
  matchParts(expected, error, named);
}

/** What a bulk write tells of what it did, and of what went wrong in it. */
function matchParts(
  { expectResult, writeErrors, writeConcernErrors }: ExpectedError,
  error: Document,
  named: Named,
): void {
  if (expectResult !== undefined) {
    const { partialResult, result } = error;
    match(expectResult, partialResult ? bulkResult(partialResult) : result, named);
  }
  for (const [i, expected] of Object.entries(writeErrors ?? {}))
    match(expected, error.writeErrors.get(Number(i)), named, `writeErrors.${i}`);
  for (const [i, expected] of (writeConcernErrors ?? []).entries())
    match(expected, error.writeConcernErrors[i], named, `writeConcernErrors.${i}`);
}

/** Whether a server said so; what broke on the way to one is the client's error, to the format too. */
function isOfServer(error: Error): boolean {
  if (error instanceof MongoClientBulkWriteError && error.cause !== undefined)
    return error.cause instanceof MongoServerError;
  return error instanceof MongoServerError;
}

function codeNamesOf({ codeName, writeConcernError, result }: Document): unknown[] {
  return [codeName, writeConcernError?.codeName, result?.writeConcernError?.codeName];
}

/** An operation that was to fail has not. */
export function noError(expected: ExpectedError, result: unknown): Failure {
  return new Failure(`the error ${shown(expected)} expected, not ${shown(result)}`);
}

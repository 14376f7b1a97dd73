import { bytesOf, elementsOf, Fields, legible, subsetOf } from '@replsim/pipeline';
import { BsonType, encodeDocument, encodeName, findField, RawBson, RawValue } from '@replsim/protocol';
import { describeDocument } from '@replsim/storage';
import type { EndedOperation } from './endedOperation.ts';
import { hasSucceeded } from './outcome.ts';

const COMMENT = encodeName('comment');

/**
 * A command as others may be shown it: one of more than `mostBytes` as `{ $truncated: the beginning of its text, comment }`.
 * Upstream: curop.cpp, appendAsObjOrString.
 */
export function shownCommand(command: Uint8Array, mostBytes: number): unknown {
  if (command.length <= mostBytes) return new RawBson(legible(command));
  const text = describeDocument(command);
  const comment = findField(command, COMMENT);
  return {
    $truncated: text.length > mostBytes ? `${text.slice(0, mostBytes - 3)}...` : text,
    ...(comment && { comment: new RawValue(comment) }),
  };
}

/** What each write command calls that which it writes. */
const STATEMENTS = new Map([
  ['insert', 'documents'],
  ['update', 'updates'],
  ['delete', 'deletes'],
  ['bulkWrite', 'ops'],
]);

/** A write is shown without what it writes, which may be long. Upstream: write_commands.cpp, snipForLogging. */
export function withoutStatements({ name, command: sent, debug }: EndedOperation): Uint8Array {
  const command = debug.commented(sent);
  const statements = STATEMENTS.get(name);
  return statements === undefined ? command : subsetOf(command, (field) => field !== statements);
}

/** The fields of a statement in the order in which they are shown. Upstream: write_ops.idl, UpdateOpEntry and DeleteOpEntry. */
const SHOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ['update', ['q', 'u', 'c', 'arrayFilters', 'hint', 'multi', 'upsert', 'collation']],
  ['delete', ['q', 'limit', 'hint', 'collation']],
]);

/**
 * The one statement of an update or a delete that was carried out, with the command's comment: `{ q, u, multi, upsert }`; undefined for
 * any other command. Upstream: write_ops_exec.cpp, for which each statement is an operation.
 */
export function statementOf({ name, command, reply }: EndedOperation): Uint8Array | undefined {
  const shown = SHOWN.get(name);
  const listed = shown && findField(command, encodeName(STATEMENTS.get(name) ?? ''));
  if (!shown || listed?.type !== BsonType.array || !hasSucceeded(reply)) return undefined;
  const [statement, ...others] = elementsOf(listed);
  if (statement?.type !== BsonType.object || others.length > 0) return undefined;
  const fields = new Fields(bytesOf(statement), name);
  const comment = findField(command, COMMENT);
  const values = shown.flatMap((field): [name: string, value: unknown][] => {
    if (field === 'multi' || field === 'upsert') return [[field, fields.truth(field)]];
    const value = fields.value(field);
    return value ? [[field, new RawValue(value)]] : [];
  });
  return encodeDocument({ ...Object.fromEntries(values), ...(comment && { comment: new RawValue(comment) }) });
}

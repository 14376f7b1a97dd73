import { didYouMean, didYouMeanOneOf, likelyDuration, parseDuration } from '@replsim/kernel';
import type { Path, Source } from '../file/source.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a log line. Upstream: logv2's constants.h. */
const LOG_FIELDS = ['t', 's', 'c', 'id', 'svc', 'ctx', 'msg', 'attr', 'tags'];
/** Fields of an oplog entry. Upstream: oplog_entry.idl. */
// biome-ignore format: a list
const ENTRY_FIELDS = ['ts', 't', 'v', 'op', 'ns', 'ui', 'tid', 'o', 'o2', 'wall', 'b', 'lsid', 'txnNumber', 'stmtId', 'prevOpTime',
  'preImageOpTime', 'postImageOpTime', 'needsRetryImage', 'fromMigrate', 'multiOpType', 'versionContext'];
const ENTRY_OPS = ['i', 'u', 'd', 'c', 'n'];

/** A filter on log lines that no line can match counts none, and a check that wants none would be green. */
export function judgeLogFilter(source: Source, path: Path, filter: unknown): void {
  if (!isFields(filter)) return;
  judgeFields(source, path, filter, 'a log line', LOG_FIELDS);
  const { id } = filter;
  if (typeof id === 'string' && !id.startsWith('$'))
    source.mistakeAtPath(
      [...path, 'id'],
      'the id of a log line is a number',
      /^\d+$/.test(id) ? `write ${id}` : undefined,
    );
}

/** The same of oplog entries. */
export function judgeEntryFilter(source: Source, path: Path, filter: unknown): void {
  if (!isFields(filter)) return;
  judgeFields(source, path, filter, 'an oplog entry', ENTRY_FIELDS);
  const { op } = filter;
  if (typeof op === 'string' && !op.startsWith('$') && !ENTRY_OPS.includes(op))
    source.mistakeAtPath([...path, 'op'], `no entry has the op "${op}"`, opMeant(op));
}

function opMeant(op: string): string {
  const word = op[0]?.toLowerCase() ?? '';
  return ENTRY_OPS.includes(word) && op.length > 1
    ? `did you mean "${word}"?`
    : 'i inserts, u updates, d deletes, c is a command, n does nothing';
}

function judgeFields(source: Source, path: Path, filter: Fields, what: string, known: readonly string[]): void {
  for (const key of Object.keys(filter)) {
    const [field = ''] = key.split('.');
    if (key.startsWith('$') || known.includes(field)) continue;
    source.mistakeAtKey(path, key, `${what} has no field "${field}"`, didYouMeanOneOf(field, known));
  }
}

/** Conditions on milliseconds, which no text meets. */
export function judgeTook(source: Source, path: Path, conditions: unknown): void {
  if (!isFields(conditions)) return;
  for (const [operator, value] of Object.entries(conditions)) {
    if (typeof value !== 'string' || value.startsWith('$')) continue;
    const micros = parseDuration(likelyDuration(value) ?? '');
    const suggestion = micros === undefined ? undefined : `did you mean ${micros / 1000}?`;
    source.mistakeAtPath([...path, operator], 'expected a number of milliseconds', suggestion ?? 'write { $lt: 50 }');
  }
}

/** Operators of filters and of updates, for whoever has mistyped one. */
// biome-ignore format: a list
const OPERATORS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$not', '$exists', '$type', '$size', '$all',
  '$elemMatch', '$mod', '$regex', '$options', '$and', '$or', '$nor', '$expr', '$jsonSchema', '$set', '$setOnInsert', '$unset',
  '$inc', '$mul', '$min', '$max', '$rename', '$currentDate', '$bit', '$push', '$addToSet', '$pull', '$pullAll', '$pop'];

/** What was probably meant where MongoDB says that it knows no such operator. */
export function operatorMeant(message: string): string | undefined {
  const [, wrong] = /(?:operator|modifier): (\$?\w+)/i.exec(message) ?? [];
  return wrong === undefined ? undefined : didYouMean(wrong, OPERATORS);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

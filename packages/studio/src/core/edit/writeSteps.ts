import { type Document, isAlias, isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import type { Cannot } from './putValue.ts';

/** A map of a scenario, and where in it the `w` of a write stands, or would. */
export interface ConcernPlace {
  readonly map: YAMLMap;
  readonly path: readonly string[];
}

/** Steps that take a write concern. */
const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'createIndex', 'collMod']);
/** Commands that do. */
const WRITE_COMMANDS: ReadonlySet<string> = new Set([
  'insert',
  'update',
  'delete',
  'findAndModify',
  'findandmodify',
  'bulkWrite',
  'create',
  'createIndexes',
  'dropIndexes',
  'collMod',
  'drop',
  'dropDatabase',
  'renameCollection',
  'commitTransaction',
  'abortTransaction',
]);
/** What ends a transaction has its concern; the writes in it have none. */
const ENDS_OF_TRANSACTIONS: ReadonlySet<string> = new Set(['commitTransaction', 'abortTransaction']);

/** All writes of a scenario: in its steps, in those that are repeated, and of clients beside them. */
export function writeConcernPaths(document: Document): readonly ConcernPlace[] | Cannot {
  const places: ConcernPlace[] = [];
  const unclear = collect(document.get('steps', true), places);
  return unclear === undefined ? places : { cannot: unclear };
}

/** @returns why a write cannot be reached, if one cannot */
function collect(steps: unknown, places: ConcernPlace[]): string | undefined {
  if (!isSeq(steps)) return 'the first text has no list of steps';
  for (const step of steps.items) {
    if (!isMap(step)) continue;
    for (const { key, value } of step.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (!WRITES.has(name) && name !== 'workload' && name !== 'run' && name !== 'repeat') continue;
      if (isAlias(value)) return `“${name}” is an alias (*) somewhere: write its value there instead`;
      if (!isMap(value)) continue;
      const unclear = name === 'repeat' ? collect(value.get('steps', true), places) : undefined;
      if (unclear !== undefined) return unclear;
      const written = writtenIn(name, value);
      if (written) places.push({ map: written, path: ['writeConcern', 'w'] });
    }
  }
  return undefined;
}

/** The map that has the write concern, if this writes. */
function writtenIn(name: string, value: YAMLMap): YAMLMap | undefined {
  if (WRITES.has(name)) return value;
  if (name === 'workload') return value.has('insert') || value.has('update') ? value : undefined;
  const command = name === 'run' ? value.get('command', true) : undefined;
  if (!isMap(command)) return undefined;
  const [first] = command.items;
  const called = isScalar(first?.key) ? String(first.key.value) : '';
  if (!WRITE_COMMANDS.has(called)) return undefined;
  return ENDS_OF_TRANSACTIONS.has(called) || !command.has('autocommit') ? command : undefined;
}

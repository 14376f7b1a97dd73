import type { HistoryReads } from '@replsim/protocol';
import type * as z from 'zod';
import { showPlain } from '../file/show.ts';
import type { Path } from '../file/source.ts';
import { concernIn } from '../judging/concerns.ts';
import type { Reader } from '../reading/reader.ts';
import { readReadPreference } from '../reading/readReadPreference.ts';
import type { ReadsAction, WorkloadAction } from '../scenario.ts';
import type { workloadSchema } from './workloadSchema.ts';

type WorkloadInput = z.infer<typeof workloadSchema>;

/** What goes with `reads`, for a message. */
const READABLE = 'update: { in: app.c, filter: { _id: 1 }, update: { $set: { value: $i } }, upsert: true }';

/** How a workload's writes are read back, and of an update which field it sets. */
export function readReads(
  reader: Reader,
  path: Path,
  input: WorkloadInput,
): Pick<WorkloadAction, 'reads' | 'field' | 'history'> {
  const { reads, options } = input;
  if (!reads) return input.append ? { history: historyOf(input, undefined) } : {};
  const at = [...path, 'reads'];
  const everyMicros = reads.every === 'write' ? undefined : reader.span([...at, 'every'], reads.every);
  if (everyMicros === 0)
    reader.source.mistakeAtPath([...at, 'every'], 'a turn takes some time', 'for example every: 100ms');
  if (reads.near !== undefined) {
    if (everyMicros === undefined)
      reader.source.mistakeAtKey(at, 'near', 'after each write the client of the writes reads', 'near: beside "every"');
  }
  const readPreference = readReadPreference(
    reader,
    [...at, 'readPreference'],
    reads.readPreference,
    options?.heartbeatFrequencyMS,
  );
  const field = fieldOf(reader, path, input);
  judgeLevel(reader, at, reads, readPreference?.mode);
  const readConcern = reader.values(at, ['readConcern']).get('readConcern');
  const action: ReadsAction = {
    everyMicros,
    causal: reads.causalConsistency ?? false,
    ...(readConcern instanceof Map && { readConcern, concern: showPlain(concernIn('readConcern', reads.readConcern)) }),
    ...(readPreference && { readPreference }),
    ...(reads.maxTimeMS !== undefined && { maxTimeMS: reads.maxTimeMS }),
    ...(reads.near !== undefined && { near: reader.place([...at, 'near'], reads.near) }),
  };
  return { reads: action, history: historyOf(input, action), ...(field !== undefined && { field }) };
}

/** What a mongod would refuse. Upstream: read_concern_args.cpp, and the check that only a primary reads linearizably. */
function judgeLevel(
  { source }: Reader,
  at: Path,
  { readConcern, causalConsistency }: NonNullable<WorkloadInput['reads']>,
  mode = 'primary',
): void {
  const level = levelOf(readConcern);
  if (level === 'linearizable' && causalConsistency)
    source.mistakeAtKey(at, 'causalConsistency', 'linearizable reads cannot be in a causally consistent session');
  if (level === 'linearizable' && mode !== 'primary')
    source.mistakeAtPath([...at, 'readPreference'], 'only a primary answers linearizable reads', 'leave it out');
  if (level === 'available' && causalConsistency)
    source.mistakeAtKey(at, 'causalConsistency', 'a causally consistent session has no reads with available');
}

/** The one field that an update sets, in the one document that it names. */
function fieldOf(reader: Reader, path: Path, { insert, update }: WorkloadInput): string | undefined {
  const { source } = reader;
  if (insert) {
    if (!('_id' in insert.document))
      source.mistakeAtPath(
        [...path, 'insert', 'document'],
        'a document without _id cannot be read back',
        '{ _id: $i }',
      );
    return undefined;
  }
  if (!update) {
    source.mistakeAtKey(path, 'reads', '"reads" goes with an insert, or an update of one document', READABLE);
    return undefined;
  }
  const at = [...path, 'update'];
  if (!isOneId(update.filter))
    source.mistakeAtPath(at, 'what is read back is one document, by its _id alone', 'filter: { _id: 1 }');
  const field = fieldSet(update.update);
  if (field === undefined)
    source.mistakeAtPath(
      [...at, 'update'],
      'what is read back is one field, which $set sets',
      '{ $set: { value: $i } }',
    );
  if (update.upsert !== true)
    source.mistakeAtPath(at, 'without upsert an update may find nothing, and say that all is well', 'upsert: true');
  if (update.multi) source.mistakeAtKey(at, 'multi', 'what is read back is one document');
  return field;
}

function isOneId(filter: unknown): boolean {
  const entries = Object.entries((filter ?? {}) as object);
  const [[key, id] = [], ...others] = entries;
  if (key !== '_id' || others.length > 0) return false;
  if (typeof id !== 'object' || id === null) return true;
  // Extended JSON such as { $oid: … } is a value; an operator such as { $gt: … } is none.
  return !Object.keys(id).some((each) => OPERATORS.test(each));
}

const OPERATORS = /^\$(eq|ne|gt|gte|lt|lte|in|nin|not|exists|type|mod|regex|all|elemMatch|size|bits\w+|expr)$/;

function fieldSet(update: unknown): string | undefined {
  if (Array.isArray(update)) return undefined;
  // Further operators change other fields: a server refuses two changes of one.
  const { $set = {} } = (update ?? {}) as { $set?: object };
  const [field, ...more] = Object.keys($set);
  return more.length > 0 || field === undefined || field.includes('.') || field === '_id' ? undefined : field;
}

function historyOf(input: WorkloadInput, reads: ReadsAction | undefined): HistoryReads {
  const { writeConcern, readConcern, append } = input;
  const { w } = (concernIn('writeConcern', writeConcern) ?? {}) as { w?: unknown };
  // Without one, transactions of this workload have snapshot.
  const level = append ? (levelOf(readConcern) ?? 'snapshot') : levelOf(input.reads?.readConcern);
  return {
    readPreference: reads?.readPreference?.mode ?? 'primary',
    causalConsistency: append ? true : (reads?.causal ?? false),
    afterWrites: reads?.everyMicros === undefined,
    ...(level !== undefined && { readConcern: level }),
    ...((typeof w === 'string' || typeof w === 'number') && { w }),
    ...(typeof w === 'bigint' && { w: Number(w) }),
  };
}

function levelOf(given: unknown): string | undefined {
  const { level } = (concernIn('readConcern', given) ?? {}) as { level?: unknown };
  return typeof level === 'string' ? level : undefined;
}

import { type Operation, spend } from '@replsim/operations';
import { newDocument, readMeasurement, type TimeseriesCollection, timeseriesCollection } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';
import type { InsertOutcomes, InsertStatement } from './insertStatements.ts';
import { checkRetry } from './statements.ts';
import { type MeasurementWrite, writeMeasurements } from './writeMeasurements.ts';

/** Measurements that are written before others get their turn. */
const GROUP = 1000;

/**
 * Inserts into a time-series collection. A measurement without its time is a write error, and ends an ordered command
 * as any other; those before it are written. Errors: NamespaceNotFound 26 for one that is dropped meanwhile.
 * Upstream: write_ops_exec.cpp, performTimeseriesWrites.
 * @returns whether the statements after these are to be carried out
 */
export function* insertMeasurements(
  context: CommandContext,
  ns: string,
  { buckets, options }: TimeseriesCollection,
  statements: readonly InsertStatement[],
  outcomes: InsertOutcomes,
): Operation<boolean> {
  const { member, retryable } = context;
  let batch: MeasurementWrite[] = [];
  let indexes: number[] = [];
  let ended = false;
  function* flush(): Operation<void> {
    if (batch.length === 0) return;
    const { costs, counters } = member;
    yield* spend(costs.commitMicros + batch.length * costs.insertMicros);
    // Time has passed: it may have been dropped, or made anew.
    const now = timeseriesCollection(context.data, ns);
    if (now?.buckets !== buckets) {
      throw new CommandError('NamespaceNotFound', `the time series ${ns} was dropped`);
    }
    writeMeasurements(context, now, batch);
    counters.opcounters.insert += batch.length;
    member.debug.nInserted += batch.length;
    for (const index of indexes) outcomes.inserted(index);
    batch = [];
    indexes = [];
  }
  for (const { index, document, stmtId } of statements) {
    try {
      const before = retryable?.executed(stmtId);
      if (before) {
        checkRetry(before, ['i', 'u'], 40636, 'insert');
        outcomes.inserted(index);
        continue;
      }
      const clock = { secs: Math.floor(member.now.wallMs / 1000), inc: index + 1 };
      const { bytes } = newDocument(document, member.ids, clock, { fillsTimestamps: false });
      const measurement = readMeasurement(bytes, options);
      batch.push({ measurement, statement: retryable?.link(stmtId) });
      indexes.push(index);
    } catch (error) {
      if (outcomes.failed(index, error)) continue;
      ended = true;
      break;
    }
    if (batch.length === GROUP) yield* flush();
  }
  yield* flush();
  return !ended;
}

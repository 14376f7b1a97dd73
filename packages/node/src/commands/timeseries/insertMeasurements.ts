import { CommandError } from '@replsim/protocol';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { readMeasurement } from '../../timeseries/measurement.ts';
import { type TimeseriesCollection, timeseriesCollection } from '../../timeseries/options.ts';
import type { CommandContext, Reply } from '../command.ts';
import { newDocument } from '../crud/newDocument.ts';
import { checkRetry, retriedReply, statementIds, WriteErrors } from '../crud/statements.ts';
import { type MeasurementWrite, writeMeasurements } from './writeMeasurements.ts';

/** Measurements that are written before others get their turn. */
const GROUP = 1000;

/**
 * `{ insert }` into a time-series collection. A measurement without its time is a write error, and ends an ordered command
 * as any other; those before it are written. Errors: NamespaceNotFound 26 for one that is dropped meanwhile.
 * Upstream: write_ops_exec.cpp, performTimeseriesWrites.
 */
export function* insertMeasurements(
  { args, member, retryable }: CommandContext,
  { buckets, options }: TimeseriesCollection,
): Operation<Reply> {
  const sent = args.requiredDocuments('documents');
  const errors = new WriteErrors(args.bool('ordered', true));
  const stmtId = statementIds(args, sent.length);
  let batch: MeasurementWrite[] = [];
  let n = 0;
  function* flush(): Operation<void> {
    if (batch.length === 0) return;
    const { costs, counters, engine } = member;
    yield* spend(costs.commitMicros + batch.length * costs.insertMicros);
    // Time has passed: it may have been dropped, or made anew.
    const now = timeseriesCollection(engine, args.ns);
    if (now?.buckets !== buckets) {
      throw new CommandError('NamespaceNotFound', `the time series ${args.ns} was dropped`);
    }
    writeMeasurements(member, now, batch);
    counters.opcounters.insert += batch.length;
    n += batch.length;
    batch = [];
  }
  for (const [index, document] of sent.entries()) {
    try {
      const before = retryable?.executed(stmtId(index));
      if (before) {
        checkRetry(before, ['i', 'u'], 40636, 'insert');
        n += 1;
        continue;
      }
      const { bytes } = newDocument(document, member.ids, {
        secs: Math.floor(member.now.wallMs / 1000),
        inc: index + 1,
      });
      const measurement = readMeasurement(bytes, options);
      batch.push({ measurement, statement: retryable?.link(stmtId(index)) });
    } catch (error) {
      if (!errors.add(index, error)) break;
      continue;
    }
    if (batch.length === GROUP) yield* flush();
  }
  yield* flush();
  return { n, ...errors.reply(), ...retriedReply(retryable) };
}

import type { Reply } from '@replsim/pipeline';
import type { OperationDebug } from '../operations/operationDebug.ts';
import type { Metric } from '../sessions/transactionTimes.ts';

/** What a statement has written, as its reply tells. Upstream: op_debug.h, OpDebug::AdditiveMetrics. */
export function writeOutcome(
  command: string,
  reply: Reply,
  { wrote }: Pick<OperationDebug, 'wrote'>,
): Partial<Record<Metric, number>> {
  const count = (name: string) => Number(reply[name] ?? 0);
  switch (command) {
    case 'insert':
      return { ninserted: count('n') };
    case 'delete':
      return { ndeleted: count('n') };
    case 'update': {
      const nUpserted = (reply.upserted as readonly unknown[] | undefined)?.length ?? 0;
      const nMatched = count('n') - nUpserted;
      return { nMatched, nModified: count('nModified'), ...(nUpserted > 0 && { nUpserted }) };
    }
    case 'bulkWrite':
      return {
        nMatched: count('nMatched'),
        nModified: count('nModified'),
        ninserted: count('nInserted'),
        ndeleted: count('nDeleted'),
        nUpserted: count('nUpserted'),
      };
    default:
      return { ...wrote };
  }
}

/** Whose a failure is that is known. */
export type Cause = 'driver' | 'choice';

interface Known {
  readonly suite: string;
  readonly file: RegExp;
  readonly description?: RegExp;
  /** What the runner says of it, where that tells it from other failures. */
  readonly failure?: RegExp;
  readonly cause: Cause;
  readonly reason: string;
}

/**
 * Failures that say nothing of what is missing here: those of the driver, 7.8.0, against any server, and those of a choice that
 * docs/drivers.md and docs/differences.md speak of.
 */
export const KNOWN: readonly Known[] = [
  {
    suite: 'crud',
    file: /^bypassDocumentValidation$/,
    description: /: false$/,
    cause: 'driver',
    reason: 'sends no `bypassDocumentValidation: false`',
  },
  {
    suite: 'crud',
    file: /^client-bulkWrite-partialResults$/,
    description: /^partialResult is unset/,
    cause: 'driver',
    reason: 'gives a `partialResult` where nothing was done',
  },
  {
    suite: 'crud',
    file: /^create-null-ids$/,
    description: /via (insert|bulk|client)/,
    cause: 'driver',
    reason: 'replaces an `_id` of null',
  },
  {
    suite: 'retryable-writes',
    file: /^bulkWrite$/,
    description: /is never committed$/,
    cause: 'driver',
    reason: "counts wrongly in a bulk write's error",
  },
  { suite: 'retryable-reads', file: /^gridfs-download/, cause: 'driver', reason: 'looks files up by `{_id: {$eq}}`' },
  {
    suite: 'gridfs',
    file: /^download$/,
    description: /final chunk is missing$/,
    cause: 'driver',
    reason: 'ends a download whose last chunk is missing without an error',
  },
  {
    suite: 'client-backpressure',
    file: /^backpressure-retry/,
    description: /dropIndexes/,
    cause: 'driver',
    reason: 'keeps an error of `dropIndexes` to itself',
  },
  {
    suite: 'server-discovery-and-monitoring',
    file: /^replicaset-emit-topology-changed-before-close$/,
    cause: 'driver',
    reason: 'tells of no change of the topology before it closes',
  },
  {
    suite: 'transactions',
    file: /^client-bulkWrite$/,
    description: /with writeConcern in a transaction/,
    cause: 'driver',
    reason: 'lets a write concern pass in a transaction',
  },
  ...['transactions', 'transactions-convenient-api', 'unified-test-format'].map(
    (suite): Known => ({
      suite,
      file: /./,
      failure: /writeConcern: nobody expected wtimeout/,
      cause: 'driver',
      reason: 'ends a transaction with a `wtimeout` that nobody asked for',
    }),
  ),
  {
    suite: 'server-discovery-and-monitoring',
    file: /^interruptInUse-pool-clear$/,
    cause: 'choice',
    reason: '`$where` is refused: no JavaScript is run',
  },
];

/** What is known of a test's failure; undefined if nothing is. @param failure what the runner says of it */
export function known(suite: string, file: string, description: string, failure: string): Known | undefined {
  return KNOWN.find(
    (each) =>
      each.suite === suite &&
      each.file.test(file) &&
      (each.description?.test(description) ?? true) &&
      (each.failure?.test(failure) ?? true),
  );
}

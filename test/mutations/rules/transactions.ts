import type { MutatedRule } from './mutatedRule.ts';

const PARTICIPANT = {
  file: 'packages/transactions/src/participant.ts',
  test: 'packages/transactions/test/participant.test.ts',
};
const RULES = 'packages/transactions/test/rules.test.ts';

export const transactionRules: readonly MutatedRule[] = [
  {
    ...PARTICIPANT,
    from: 'if (!row || row.txnNumber <= this.#txnNumber) return;',
    to: 'if (!row || row.txnNumber < this.#txnNumber) return;',
    why: 'a row counts only where the data are ahead of what the member knows',
  },
  {
    ...PARTICIPANT,
    from: 'if (txnNumber === this.#txnNumber && isRetryableWriteMode(this.#state)) return;',
    to: 'if (txnNumber === this.#txnNumber) return;',
    why: 'the number of a transaction is none of a retryable write',
  },
  {
    ...PARTICIPANT,
    from: "if (this.#state !== 'InProgress' || hasData) return;",
    to: 'return;',
    why: 'a transaction whose first statement failed cannot go on',
  },
  {
    ...PARTICIPANT,
    from: "if (this.#state !== 'Committed' || kind === 'commit') return;",
    to: "if (this.#state !== 'Committed') return;",
    why: 'a commit may be sent again',
  },
  {
    ...PARTICIPANT,
    from: 'if (txnNumber >= this.#txnNumber) return;',
    to: 'return;',
    why: 'an older number is too old',
  },
  {
    ...PARTICIPANT,
    from: 'if (this.isOpen) this.abort();\n    this.#state = moved',
    to: 'this.#state = moved',
    why: 'a higher number gives up what is open',
  },
  {
    ...PARTICIPANT,
    from: "return state === 'committed' ? 'Committed' : 'AbortedWithPrepare';",
    to: "return 'Committed';",
    why: 'a row tells of a transaction that was given up',
  },
  {
    ...PARTICIPANT,
    from: 'if (this.isOpen) this.abort();\n    this.#txnNumber = -1n;',
    to: 'this.#txnNumber = -1n;',
    why: 'a step-down lets go of the data of open transactions',
  },
  {
    file: 'packages/transactions/src/txnState.ts',
    from: "Committed: ['None'],",
    to: "Committed: ['None', 'AbortedWithoutPrepare'],",
    test: PARTICIPANT.test,
    why: 'what is committed is never aborted',
  },
  {
    file: 'packages/transactions/src/allowed.ts',
    from: 'if (isFirst && NEVER_FIRST.has(command)) {',
    to: 'if (isFirst && NEVER_FIRST.has(command) && false) {',
    test: RULES,
    why: 'a transaction does not begin with its commit',
  },
  {
    file: 'packages/transactions/src/allowed.ts',
    from: 'if (BANNED_DATABASES.has(db)) {',
    to: 'if (BANNED_DATABASES.has(db) && false) {',
    test: RULES,
    why: 'what belongs to a member is no matter of a transaction',
  },
  {
    file: 'packages/transactions/src/readConcern.ts',
    from: 'if (!sent.isNonEmpty) return;',
    to: 'return;',
    test: RULES,
    why: 'the read concern comes with the first statement',
  },
  {
    file: 'packages/transactions/src/packOperations.ts',
    from: 'bytes + size > maxBytes)) {',
    to: 'bytes + size >= maxBytes)) {',
    test: RULES,
    why: 'each entry of a transaction is as full as may be',
  },
  {
    file: 'packages/transactions/src/packOperations.ts',
    from: 'if (size > maxBytes + INTERNAL_BYTES) {',
    to: 'if (size > maxBytes) {',
    test: RULES,
    why: 'an entry of one operation may have some bytes more',
  },
  {
    file: 'packages/transactions/src/expiry.ts',
    from: 'return Math.min(Math.max(lifetimeSecs * 500_000, SHORTEST_PERIOD_MICROS), LONGEST_PERIOD_MICROS);',
    to: 'return lifetimeSecs * 500_000;',
    test: RULES,
    why: 'transactions that last too long are looked for between each second and each minute',
  },
  {
    file: 'packages/transactions/src/expiry.ts',
    from: '/ periodMicros) + 1) * periodMicros;',
    to: '/ periodMicros)) * periodMicros;',
    test: RULES,
    why: 'the next run lies in the future',
  },
  {
    file: 'packages/transactions/src/backoff.ts',
    from: 'if (attempt < 4) return 0;',
    to: 'if (attempt < 5) return 0;',
    test: RULES,
    why: 'a write that meets others waits from its fourth attempt on',
  },
  {
    file: 'packages/transactions/src/sessionFields.ts',
    from: 'if (txnNumber !== undefined && autocommit === undefined && !command.retryable) {',
    to: 'if (txnNumber !== undefined && autocommit === undefined && false) {',
    test: RULES,
    why: 'only some commands are retryable writes',
  },
  {
    file: 'packages/transactions/src/sessionFields.ts',
    from: 'if (txnNumber !== undefined && !inSet) {',
    to: 'if (txnNumber !== undefined && !inSet && false) {',
    test: RULES,
    why: 'a standalone has no oplog in which a retry could look',
  },
];

export { checkAllowed, type Statement } from './allowed.ts';
export { backoffMicros } from './backoff.ts';
export { expiryPeriodMicros, nextExpiryRun } from './expiry.ts';
export { type LastCommitted, TransactionMetrics } from './metrics.ts';
export { type EntryLimits, packOperations } from './packOperations.ts';
export { Participant, type SessionRow, type StatementKind } from './participant.ts';
export { checkReadConcern } from './readConcern.ts';
export { checkSessionFields, notInTransactions, type SentCommand, type SessionFields } from './sessionFields.ts';
export { isAborted, isRetryableWriteMode, moved, TRANSITIONS, type TxnState } from './txnState.ts';

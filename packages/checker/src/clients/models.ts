import type { ClientCall, ClientHistory, RegisterCall, TransactionCall } from './history.ts';
import { linearizable } from './linearizable.ts';
import { listAnomalies } from './listAppend.ts';
import { monotonicReads, readYourWrites } from './sessions.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** What a snapshot prevents: everything but that two transactions each read what the other overwrites. */
const ALLOWED_BY_SNAPSHOTS: ReadonlySet<string> = new Set(['G2-item']);
/** What reading only committed data prevents. */
const DIRTY: ReadonlySet<string> = new Set(['G0', 'G1a', 'G1b', 'G1c', 'duplicate-elements', 'incompatible-order']);

/** What a history of documents, each read and written as a whole, can be asked for. */
export const REGISTER_MODELS = ['linearizable', 'readYourWrites', 'monotonicReads'] as const;
/** What a history of transactions over lists can be asked for. */
export const TRANSACTION_MODELS = ['readCommitted', 'snapshotIsolation', 'serializable'] as const;
export type HistoryModel = (typeof REGISTER_MODELS)[number] | (typeof TRANSACTION_MODELS)[number];

const OF_REGISTERS = { linearizable, readYourWrites, monotonicReads };
const OF_TRANSACTIONS: Record<(typeof TRANSACTION_MODELS)[number], (name: string) => boolean> = {
  readCommitted: (name) => DIRTY.has(name),
  snapshotIsolation: (name) => !ALLOWED_BY_SNAPSHOTS.has(name),
  serializable: () => true,
};

/** Whether a history is as a model allows; undecided where it is too long to say, or where nothing was read. */
export function judgeHistory(history: ClientHistory, model: HistoryModel): Verdict {
  if (history.isTooLong)
    return { kind: 'undecided', why: `more than the ${history.calls.length} calls that are remembered` };
  const { calls } = history;
  if (model in OF_REGISTERS) {
    const registers = calls.filter((call): call is RegisterCall => call.kind !== 'transaction');
    if (!registers.some(({ kind, outcome }) => kind === 'read' && outcome === 'ok')) return NOTHING_READ;
    return OF_REGISTERS[model as keyof typeof OF_REGISTERS](registers);
  }
  const transactions = calls.filter(isTransaction);
  if (!transactions.some(({ outcome }) => outcome === 'ok')) return NOTHING_READ;
  const forbids = OF_TRANSACTIONS[model as keyof typeof OF_TRANSACTIONS];
  return verdictOf(listAnomalies(transactions).filter(({ name }) => forbids(name)));
}

const NOTHING_READ: Verdict = { kind: 'undecided', why: 'nothing was read' };

function isTransaction(call: ClientCall): call is TransactionCall {
  return call.kind === 'transaction';
}

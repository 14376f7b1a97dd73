import { type HistoryModel, REGISTER_MODELS, TRANSACTION_MODELS, type Verdict } from '@replsim/checker';
import { either } from '@replsim/replset';
import * as z from 'zod';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import type { Ledgers } from '../workload/ledgers.ts';
import type { Refusal } from './refusal.ts';

/** What transactions over lists may show. */
const ANOMALIES = [
  'G0',
  'G1a',
  'G1b',
  'G1c',
  'G-single',
  'G2-item',
  'internal',
  'duplicate-elements',
  'incompatible-order',
] as const;
const MODELS = [...REGISTER_MODELS, ...TRANSACTION_MODELS] as const;

/** What is asked of all that the clients of a workload saw. */
export interface HistoryPart {
  readonly model?: HistoryModel;
  /** Exactly these kinds; none if there are none. */
  readonly anomalies?: readonly string[];
}

/** What goes with `workload` in a check. */
export const historyKeys = {
  history: z
    .enum(MODELS, { error: `expected one of ${MODELS.join(', ')}` })
    .optional()
    .describe(
      'The model that everything its clients saw fits; of a workload with reads, or with transactions over lists',
    ),
  anomalies: either('none, or a list of anomalies: [G2-item]', [
    z.literal('none'),
    z.array(z.enum(ANOMALIES, { error: `expected some of ${ANOMALIES.join(', ')}` })),
  ])
    .optional()
    .describe('Exactly the kinds of anomalies that its transactions show, or none'),
};

export interface HistoryInput {
  readonly history?: HistoryModel | undefined;
  readonly anomalies?: 'none' | readonly string[] | undefined;
}

export function readHistory(
  reader: Reader,
  path: Path,
  name: string,
  { history, anomalies }: HistoryInput,
): HistoryPart | undefined {
  if (history === undefined && anomalies === undefined) return undefined;
  const kept = reader.histories.get(name);
  const key = history === undefined ? 'anomalies' : 'history';
  if (kept === undefined && reader.workloads.has(name))
    reader.source.mistakeAtKey(
      path,
      key,
      `nothing that ${name} writes is read back, so there is no history to judge`,
      'reads: { every: 200ms } in the workload, or append: { in: app.lists }',
    );
  const isOfTransactions = TRANSACTION_MODELS.some((model) => model === history) || anomalies !== undefined;
  if (kept !== undefined && isOfTransactions !== (kept === 'transactions'))
    reader.source.mistakeAtKey(
      path,
      key,
      `${name} ${kept === 'transactions' ? 'appends to lists in transactions' : 'writes single documents'}`,
      `history: ${(kept === 'transactions' ? TRANSACTION_MODELS : REGISTER_MODELS).join(', ')}`,
    );
  return {
    ...(history !== undefined && { model: history }),
    ...(anomalies !== undefined && { anomalies: anomalies === 'none' ? [] : anomalies }),
  };
}

/** Why a history is not what it is to be. What cannot be judged is not right either. */
export function historyRefusal(name: string, part: HistoryPart | undefined, ledgers: Ledgers): Refusal {
  if (!part) return undefined;
  const { model, anomalies } = part;
  return (
    (model && modelRefusal(`${name}: history ${model}`, ledgers.verdict(name, model))) ??
    (anomalies && anomaliesRefusal(name, anomalies, ledgers.verdict(name, 'serializable')))
  );
}

function modelRefusal(asked: string, verdict: Verdict | undefined): Refusal {
  if (verdict?.kind === 'holds') return undefined;
  if (verdict?.kind !== 'broken') return unjudged(asked, verdict);
  const { anomalies } = verdict;
  const [first] = anomalies;
  const more = anomalies.length > 1 ? `, and ${anomalies.length - 1} more` : '';
  return { asked, got: `${first?.name}: ${first?.detail}${more}` };
}

function anomaliesRefusal(name: string, wanted: readonly string[], verdict: Verdict | undefined): Refusal {
  const asked = `${name}: anomalies ${wanted.length === 0 ? 'none' : wanted.join(', ')}`;
  if (verdict === undefined || verdict.kind === 'undecided') return unjudged(asked, verdict);
  const found = verdict.kind === 'broken' ? verdict.anomalies : [];
  const names = [...new Set(found.map((anomaly) => anomaly.name))];
  if (names.length === new Set(wanted).size && names.every((each) => wanted.includes(each))) return undefined;
  const other = found.find((anomaly) => !wanted.includes(anomaly.name));
  return { asked, got: other ? `${other.name}: ${other.detail}` : names.join(', ') || 'none' };
}

function unjudged(asked: string, verdict: Extract<Verdict, { kind: 'undecided' }> | undefined): Refusal {
  const got = verdict ? `it cannot be judged: ${verdict.why}` : 'there is no history';
  return { asked, got, unanswered: true, advice: 'let time pass first, or let the workload run for less long' };
}

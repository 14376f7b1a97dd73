import * as z from 'zod';
import type { Filling } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import {
  LATENCY_NAMES,
  type LatencyName,
  LEDGER_COUNTS,
  type LedgerCount,
  PHASES,
  type Phase,
} from '../ledgerCounts.ts';
import { knownWorkload } from '../reading/known.ts';
import type { Reader } from '../reading/reader.ts';
import type { CheckPart, NumberTest } from '../scenario.ts';
import { label, value } from '../schema/parts.ts';
import { isNumber } from '../stage/answers.ts';
import type { Ledgers } from '../workload/ledgers.ts';
import { type HistoryInput, type HistoryPart, historyKeys, historyRefusal, readHistory } from './historyCheck.ts';
import type { Refusal } from './refusal.ts';
import { check } from './row.ts';
import type { Sight } from './sight.ts';

const LEDGER: Record<LedgerCount, string> = {
  sent: 'Operations that reached a server or ended',
  acknowledged: 'Writes whose write concern was satisfied',
  lost: 'Of these, the ones that the newest primary does not have',
  errors: "Operations that failed: a server's error, a write concern's, no server, a refused connection",
  unknown: 'Writes whose outcome the client cannot know',
  reads: 'Reads that were answered',
  dirtyReads: 'Of these, the ones that returned a document as written by a write that is now lost',
  staleReads: 'Of these, the ones that missed a write that a majority had acknowledged before they began',
  aborted: 'Transactions of transfers that were aborted, whether retried or not',
  sums: 'Snapshots that were added up; 0 while all of them show the same state',
  tornSums: 'Of these, the ones with a different result',
  unservedMs:
    'Total time of gaps longer than a second in which the client asked and nothing was acknowledged or answered',
  longestUnservedMs: 'The longest such gap',
  withoutPrimaryMs: 'Total time, while the workload ran, in which no running member accepted writes',
  longestWithoutPrimaryMs: 'The longest such time',
};

const LATENCIES: Record<LatencyName, string> = {
  p50Ms:
    'Latency within which half of the operations were acknowledged or answered, from the moment they were requested',
  p95Ms: 'The same for 95 of 100 operations',
  p99Ms: 'The same for 99 of 100 operations',
  maxMs: 'The same for all operations',
};

/** Each with its sentence. */
function numbers<Name extends string>(sentences: Readonly<Record<Name, string>>) {
  const shape: Partial<Record<Name, z.ZodOptional<typeof value>>> = {};
  for (const name in sentences) shape[name] = value.optional().describe(sentences[name]);
  return shape;
}

export interface LedgerPart extends CheckPart {
  readonly kind: 'workload';
  readonly name: string;
  readonly counts: readonly (readonly [LedgerCount, NumberTest])[];
  /** How long its operations took, those of a phase if one is named. */
  readonly latencies: readonly (readonly [LatencyName, NumberTest])[];
  readonly phase?: Phase;
  readonly history?: HistoryPart;
}

/** What a workload has noted. */
export const ledgerCheck = {
  workload: check({
    shape: label.describe("A workload's ledger"),
    beside: {
      ...numbers(LEDGER),
      ...numbers(LATENCIES),
      phase: z
        .enum(PHASES, { error: `expected one of ${PHASES.join(', ')}` })
        .optional()
        .describe('Which operations of the workload the latency covers. Default: all'),
      ...historyKeys,
    },
    read: readLedger,
    judge: ledgerRefusal,
    reasons: ({ name }, reasons) => reasons.workload(name),
  }),
};

interface LedgerInput extends Partial<Record<LedgerCount | LatencyName, unknown>>, HistoryInput {
  readonly phase?: Phase | undefined;
}

function readLedger(reader: Reader, path: Path, name: string, beside: LedgerInput): LedgerPart {
  knownWorkload(reader, [...path, 'workload'], name);
  const { phase } = beside;
  const asked = LEDGER_COUNTS.filter((count) => beside[count] !== undefined);
  const latencies = LATENCY_NAMES.filter((each) => beside[each] !== undefined);
  const history = readHistory(reader, path, name, beside);
  if (asked.length + latencies.length === 0 && !history) {
    const numbers = [...LEDGER_COUNTS, ...LATENCY_NAMES, ...Object.keys(historyKeys)].join(', ');
    reader.source.mistakeAtKey(path, 'workload', '"workload" needs a number to look at', numbers);
  } else if (phase !== undefined && (latencies.length === 0 || asked.length > 0))
    reader.source.mistakeAtKey(
      path,
      'phase',
      '"phase" applies only to latencies',
      `use it with ${LATENCY_NAMES.join(', ')}; write a separate check for the rest`,
    );
  const testOf = (key: string) => reader.numberTest([...path, key]);
  return {
    kind: 'workload',
    name,
    counts: asked.map((count) => [count, testOf(count)]),
    latencies: latencies.map((each) => [each, testOf(each)]),
    ...(phase !== undefined && { phase }),
    ...(history && { history }),
  };
}

function ledgerRefusal(part: LedgerPart, { set, ledgers, fillings }: Sight): Refusal {
  const { name, counts: wanted } = part;
  const counts = ledgers.counts(name, set.nowMicros);
  if (!counts) return { asked: `a ledger of ${name}`, got: 'it was not started' };
  const filling = fillings.for(undefined);
  const wrong = wanted.filter(([count, test]) => !isNumber(test, counts[count], filling));
  if (wrong.length === 0)
    return (
      restsOnNothing(name, wanted, counts) ??
      latencyRefusal(part, ledgers, filling) ??
      historyRefusal(name, part.history, ledgers)
    );
  return {
    asked: `${name}: ${wrong.map(([count, { text }]) => `${count} ${text}`).join(', ')}`,
    got: Object.entries(counts)
      .map(([count, number]) => `${count} ${number}`)
      .join(', '),
  };
}

/** Of nothing there is no latency: a check of it fails. */
function latencyRefusal({ name, latencies: wanted, phase }: LedgerPart, ledgers: Ledgers, filling: Filling): Refusal {
  if (wanted.length === 0) return undefined;
  const latency = ledgers.latency(name, phase);
  const when = phase === undefined ? '' : `, phase ${phase}`;
  const asked = (tests: typeof wanted) =>
    `${name}: ${tests.map(([each, { text }]) => `${each} ${text}`).join(', ')}${when}`;
  if (!latency) {
    const got = `nothing was acknowledged or answered${phase === undefined ? '' : ' in that phase'}`;
    return { asked: asked(wanted), got, advice: 'let time pass first: "- advance: 10s"' };
  }
  const wrong = wanted.filter(([each, test]) => !isNumber(test, latency[each], filling));
  if (wrong.length === 0) return undefined;
  const got = Object.entries(latency).map(([each, number]) => `${each} ${number}`);
  return { asked: asked(wrong), got: got.join(', ') };
}

/** What is none of nothing. */
const SHARES: readonly (readonly [share: LedgerCount, of: LedgerCount, done: string])[] = [
  ['lost', 'acknowledged', 'nothing was acknowledged'],
  ['dirtyReads', 'reads', 'nothing was read'],
  ['staleReads', 'reads', 'nothing was read'],
  ['tornSums', 'sums', 'nothing was added up, or it did not change meanwhile'],
];

/** Where nothing was acknowledged nothing can be lost: whoever wants that says how much was acknowledged, too. */
function restsOnNothing(
  name: string,
  wanted: readonly (readonly [LedgerCount, unknown])[],
  counts: Readonly<Record<LedgerCount, number>>,
): Refusal {
  const asked = new Set(wanted.map(([count]) => count));
  const empty = SHARES.find(([share, of]) => asked.has(share) && !asked.has(of) && counts[of] === 0);
  if (!empty) return undefined;
  const [share, of, done] = empty;
  return {
    asked: `${name}: ${share} of something`,
    got: done,
    advice: `let time pass first: "- advance: 10s"; if there should be none, add ${of}: 0`,
  };
}

import type { RunFacts, WorkloadFacts } from './runFacts.ts';

/** A figure that can be taken of a run; the rows of tables, the columns of files and the list in the docs all come of these. */
export interface Figure {
  /** As JSON and CSV have it. */
  readonly name: string;
  /** As tables have it. */
  readonly title: string;
  readonly unit: 'ms' | 'count';
  /** Which end is the bad one: that run is worth a look. */
  readonly bad: 'most' | 'least';
  readonly what: string;
  readonly how: string;
}

interface Taken<Of> extends Figure {
  /** Undefined where the run has none. */
  readonly take: (of: Of) => number | undefined;
}

/** The figures of a run as a whole. */
const OF_RUN: readonly Taken<RunFacts>[] = [
  {
    ...{ name: 'faultToPrimaryMs', title: 'fault to new primary', unit: 'ms', bad: 'most' },
    what: 'from the instant at which the primary is lost until a new one accepts writes',
    how: 'The primary is lost when its process ends or stands still, when it steps down, or when it cannot reach a majority of the voters. If there are several failovers, the longest counts',
    take: ({ failovers }) =>
      longest(failovers.map(({ lostMicros, electedMicros }) => electedMicros && electedMicros - lostMicros)),
  },
  {
    ...{ name: 'neverReplaced', title: 'primaries never replaced', unit: 'count', bad: 'most' },
    what: 'a primary was lost, and the run ended before another accepted writes',
    how: 'as above; the times of such failovers are in no other figure',
    take: ({ failovers }) =>
      failovers.length === 0 ? undefined : failovers.filter(({ electedMicros }) => electedMicros === undefined).length,
  },
  {
    ...{ name: 'withoutPrimaryMs', title: 'without a writable primary', unit: 'ms', bad: 'most' },
    what: 'how long no member accepted writes, in all',
    how: 'as the members see it, from the first primary to the end of the run: a primary that is cut off accepts writes until it steps down',
    take: ({ withoutPrimary }) => withoutPrimary && ms(withoutPrimary.totalMicros),
  },
  {
    ...{ name: 'elections', title: 'elections won', unit: 'count', bad: 'most' },
    what: 'elections won after the first primary',
    how: 'counted when a candidate has its majority',
    take: ({ electionsWon }) => electionsWon,
  },
  {
    ...{ name: 'electionsLost', title: 'elections lost', unit: 'count', bad: 'most' },
    what: 'elections that raised the term and made no primary',
    how: 'after the first primary; dry runs do not count',
    take: ({ electionsLost }) => electionsLost,
  },
  {
    ...{ name: 'needlessElections', title: 'elections nobody needed', unit: 'count', bad: 'most' },
    what: 'elections won while the primary was not lost',
    how: 'judged when the candidate stands; a takeover by priority is one of them',
    take: ({ needlessElections }) => needlessElections,
  },
  {
    ...{ name: 'rollbacks', title: 'rollbacks', unit: 'count', bad: 'most' },
    what: 'how often a member rolled back',
    how: 'counted when the member is at the common point',
    take: ({ rollbacks }) => rollbacks,
  },
  {
    ...{ name: 'rolledBackDocuments', title: 'changes rolled back', unit: 'count', bad: 'most' },
    what: 'inserts, updates and deletes of documents that rollbacks undid',
    how: 'from the entries that were removed, on all members together',
    take: ({ rolledBackDocuments }) => rolledBackDocuments,
  },
  {
    ...{ name: 'tooStale', title: 'members too stale', unit: 'count', bad: 'most' },
    what: 'how often a member fell off the oplog',
    how: 'counted when it finds no sync source whose oplog reaches back far enough',
    take: ({ tooStale }) => tooStale,
  },
  {
    ...{ name: 'lagMs', title: 'median replication lag', unit: 'ms', bad: 'most' },
    what: 'how long an entry takes to be applied on another member: half of them take no longer',
    how: 'over all members and all entries that change data of clients; delayed members do not count',
    take: ({ lag }) => lag && ms(lag.medianMicros),
  },
  {
    ...{ name: 'worstLagMs', title: 'worst replication lag', unit: 'ms', bad: 'most' },
    what: 'the longest time from writing an entry to applying it on another member',
    how: 'as above; a member that was down or cut off lags by that long when it is back',
    take: ({ lag }) => lag && ms(lag.worstMicros),
  },
  {
    ...{ name: 'ttlLatenessMs', title: 'median TTL lateness', unit: 'ms', bad: 'most' },
    what: 'from expiry to deletion by the primary: half of the documents wait no longer',
    how: 'as `--ttl-report`; of several indexes the latest',
    take: ({ ttl }) => latest(ttl.map(({ primary }) => primary.medianMs)),
  },
  {
    ...{ name: 'worstTtlLatenessMs', title: 'worst TTL lateness', unit: 'ms', bad: 'most' },
    what: 'the longest time from expiry to deletion by the primary',
    how: 'as above',
    take: ({ ttl }) => latest(ttl.map(({ primary }) => primary.worstMs)),
  },
];

/** The figures of each workload. */
const OF_WORKLOAD: readonly Taken<WorkloadFacts>[] = [
  {
    ...{ name: 'faultToWriteMs', title: 'fault to first acknowledged write', unit: 'ms', bad: 'most' },
    what: 'from the loss of the primary to the first write acknowledged after a new one accepts writes',
    how: 'if there are several failovers, the longest counts; only workloads that ran when the primary was lost',
    take: ({ mended }) => longest(mended),
  },
  {
    ...{ name: 'longestUnservedMs', title: 'longest time unserved', unit: 'ms', bad: 'most' },
    what: 'the longest time in which the client asked and got no success',
    how: 'from the ledger; up to a second is not an outage and counts as 0',
    take: ({ ledger }) => ledger.counts.longestUnservedMs,
  },
  {
    ...{ name: 'acknowledged', title: 'writes acknowledged', unit: 'count', bad: 'least' },
    what: 'writes that succeeded, as far as the client knows',
    how: 'from the ledger',
    take: writes((counts) => counts.acknowledged),
  },
  {
    ...{ name: 'lost', title: 'writes lost', unit: 'count', bad: 'most' },
    what: 'acknowledged writes that the newest primary does not have',
    how: 'from the ledger, at the end of the run',
    take: writes((counts) => counts.lost),
  },
  {
    ...{ name: 'unknown', title: 'writes in doubt', unit: 'count', bad: 'most' },
    what: 'writes of which the client cannot know whether they were carried out',
    how: 'the connection broke, and no retry was answered',
    take: writes((counts) => counts.unknown),
  },
  {
    ...{ name: 'errors', title: 'operations failed', unit: 'count', bad: 'most' },
    what: 'operations that ended with an error',
    how: 'from the ledger',
    take: ({ ledger }) => ledger.counts.errors,
  },
  {
    ...{ name: 'reads', title: 'reads answered', unit: 'count', bad: 'least' },
    what: 'reads that returned documents or none, without an error',
    how: 'from the ledger',
    take: reads((counts) => counts.reads),
  },
  {
    ...{ name: 'staleReads', title: 'stale reads', unit: 'count', bad: 'most' },
    what: 'reads that missed a write which a majority had acknowledged before they began',
    how: 'from the ledger, judged by the optime that was read',
    take: reads((counts) => counts.staleReads),
  },
  {
    ...{ name: 'staleForMs', title: 'longest spell of stale reads', unit: 'ms', bad: 'most' },
    what: 'from the first to the last of stale reads in a row',
    how: 'a single stale read counts as long as it took',
    take: ({ ledger }) => (ledger.operation === 'find' ? staleSpell(ledger) : undefined),
  },
  {
    ...{ name: 'dirtyReads', title: 'dirty reads', unit: 'count', bad: 'most' },
    what: 'reads that showed a write which is lost now',
    how: 'from the ledger, at the end of the run',
    take: reads((counts) => counts.dirtyReads),
  },
  {
    ...{ name: 'aborted', title: 'transactions aborted', unit: 'count', bad: 'most' },
    what: 'attempts of transactions that were aborted and tried again',
    how: 'from the ledger of a `transfer`',
    take: ({ ledger }) => (ledger.operation === 'transfer' ? ledger.counts.aborted : undefined),
  },
  {
    ...{ name: 'latencyMs', title: 'median latency', unit: 'ms', bad: 'most' },
    what: 'how long an operation takes until its application has the answer: half of them take no longer',
    how: 'retries included; only operations that succeed',
    take: ({ ledger }) => ledger.latency.all?.p50Ms,
  },
  {
    ...{ name: 'worstLatencyMs', title: 'worst latency', unit: 'ms', bad: 'most' },
    what: 'the longest time that an operation took and succeeded',
    how: 'as above',
    take: ({ ledger }) => ledger.latency.all?.maxMs,
  },
];

/** All figures there are, in the order in which they are shown. */
export const FIGURES: readonly (Figure & { readonly of: 'run' | 'workload' })[] = [
  ...OF_RUN.map((figure) => ({ ...figure, of: 'run' as const })),
  ...OF_WORKLOAD.map((figure) => ({ ...figure, of: 'workload' as const })),
];

/** The figures of one run by their keys: a name, for a workload's `w.name`. What the run does not have is not there. */
export type Figures = Readonly<Record<string, number>>;

export function figuresOf(facts: RunFacts): Figures {
  const figures: Record<string, number> = {};
  const put = (key: string, value: number | undefined) => {
    if (value !== undefined) figures[key] = value;
  };
  for (const { name, take } of OF_RUN) put(name, take(facts));
  for (const workload of facts.workloads)
    for (const { name, take } of OF_WORKLOAD) put(`${workload.ledger.workload}.${name}`, take(workload));
  return figures;
}

/** A figure by its key, and the workload that it is of. */
export interface Keyed extends Figure {
  readonly key: string;
  readonly workload?: string;
  /** Its title, with the workload's name. */
  readonly label: string;
}

const BY_NAME = new Map(FIGURES.map((figure) => [figure.name, figure]));

/** The keys of runs as figures, in the order of the table; workloads in the order in which runs name them. */
export function keyedOf(runs: readonly Figures[]): readonly Keyed[] {
  const keys = [...new Set(runs.flatMap((figures) => Object.keys(figures)))];
  const place = new Map(FIGURES.map(({ name }, i) => [name, i]));
  const workloads = [...new Set(keys.map((key) => partsOf(key).workload ?? ''))];
  const rank = (key: string) => {
    const { workload = '', name } = partsOf(key);
    return (workload === '' ? 0 : workloads.indexOf(workload) + 1) * FIGURES.length + (place.get(name) ?? 0);
  };
  return keys.sort((a, b) => rank(a) - rank(b)).flatMap((key) => keyed(key) ?? []);
}

function keyed(key: string): Keyed | undefined {
  const { workload, name } = partsOf(key);
  const figure = BY_NAME.get(name);
  if (!figure) return undefined;
  if (workload === undefined) return { ...figure, key, label: figure.title };
  return { ...figure, key, workload, label: `${workload}: ${figure.title}` };
}

/** Names of workloads have no dots. */
function partsOf(key: string): { readonly workload: string | undefined; readonly name: string } {
  const [first = '', second] = key.split('.');
  return second === undefined ? { workload: undefined, name: first } : { workload: first, name: second };
}

const ms = (micros: number) => micros / 1000;

/** Of durations in µs that are there. @returns ms */
function longest(micros: readonly (number | undefined)[]): number | undefined {
  const most = latest(micros);
  return most === undefined ? undefined : ms(most);
}

function latest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

type Counts = WorkloadFacts['ledger']['counts'];
const WRITING: readonly string[] = ['insert', 'update', 'transfer'];

function writes(count: (counts: Counts) => number): Taken<WorkloadFacts>['take'] {
  return ({ ledger }) => (WRITING.includes(ledger.operation) ? count(ledger.counts) : undefined);
}

/** Only of what returns documents can one say what it should have shown. */
function reads(count: (counts: Counts) => number): Taken<WorkloadFacts>['take'] {
  return ({ ledger }) => (ledger.operation === 'find' ? count(ledger.counts) : undefined);
}

function staleSpell({ operations }: WorkloadFacts['ledger']): number {
  let most = 0;
  let sinceMicros: number | undefined;
  for (const { outcome, stale, sentMicros, toldMicros } of operations) {
    if (outcome !== 'read' || toldMicros === undefined) continue;
    sinceMicros = stale ? (sinceMicros ?? sentMicros) : undefined;
    if (sinceMicros !== undefined) most = Math.max(most, toldMicros - sinceMicros);
  }
  return ms(most);
}

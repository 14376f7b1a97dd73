/** What a history shows that must not be, in words. */
export interface Anomaly {
  /** As the literature calls it: `G-single`, `stale read` … */
  readonly name: string;
  readonly detail: string;
}

/** What a checker has to say of a history. What is undecided neither holds nor is broken. */
export type Verdict =
  | { readonly kind: 'holds' }
  | { readonly kind: 'broken'; readonly anomalies: readonly Anomaly[] }
  | { readonly kind: 'undecided'; readonly why: string };

export const HOLDS: Verdict = { kind: 'holds' };

/** Broken by these, if there are any. */
export function verdictOf(anomalies: readonly Anomaly[]): Verdict {
  return anomalies.length === 0 ? HOLDS : { kind: 'broken', anomalies };
}

/** An instant, formatted as in a transcript. */
export function instantText(micros: number): string {
  return Number.isFinite(micros) ? `${(micros / 1e6).toFixed(3)}s` : 'the end';
}

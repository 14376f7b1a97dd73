/** What reading has looked at. */
import type { Plan } from '@replsim/pipeline';
export interface ScanWork {
  readonly keysExamined: number;
  readonly docsExamined: number;
  /** What costs time: keys of an index, or documents where no index is used. */
  readonly charged: number;
  /** How often others got their turn. */
  readonly yields: number;
  /** How it was reached; missing for what has no plan, such as the oplog. */
  readonly plan: Plan | undefined;
  /** Of the collection, if it is one. */
  readonly ns?: string;
}

export const NO_WORK: ScanWork = Object.freeze({
  keysExamined: 0,
  docsExamined: 0,
  charged: 0,
  yields: 0,
  plan: undefined,
});

/** The work of whoever reads entry by entry. */
export function entriesRead(entries: number): ScanWork {
  return { ...NO_WORK, docsExamined: entries, charged: entries };
}

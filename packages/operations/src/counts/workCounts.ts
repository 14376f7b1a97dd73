import { ErrorCodes } from '@replsim/protocol';
import type { OperationDebug } from '../operations/operationDebug.ts';

/** What of a command's work counts. */
export type EndedWork = Pick<
  OperationDebug,
  | 'nInserted'
  | 'nMatched'
  | 'nDeleted'
  | 'nReturned'
  | 'collectionScans'
  | 'isTailable'
  | 'hasSortStage'
  | 'plansById'
  | 'usesDefaultMaxTimeMS'
>;

/** `collectionScans` of serverStatus, and of a collection's `queryExecStats`. */
export interface CollectionScans {
  total: number;
  nonTailable: number;
}

/**
 * What clients' commands did with documents, whoever they were for. What a member does by itself is not counted, as in mongod: neither
 * deletions of the TTL monitor nor what the oplog brings. Upstream: the function recordCurOpMetrics.
 */
export class WorkCounts {
  readonly documents = { deleted: 0, inserted: 0, returned: 0, updated: 0 };
  /** Operations that had to sort what they had found. */
  scanAndOrder = 0;
  readonly killed = { clientDisconnect: 0, defaultMaxTimeMSExpired: 0, maxTimeMSExpired: 0 };
  readonly collectionScans: CollectionScans = { total: 0, nonTailable: 0 };
  /** Lookups by `_id` that need no planner. */
  fastPaths = 0;
  readonly #scansByNs = new Map<string, CollectionScans>();

  ended(name: string, ns: string, code: number, work: EndedWork): void {
    const { documents, killed } = this;
    documents.inserted += work.nInserted;
    documents.updated += work.nMatched;
    documents.deleted += work.nDeleted;
    documents.returned += work.nReturned;
    if (work.hasSortStage) this.scanAndOrder += 1;
    if (code === ErrorCodes.ClientDisconnect) killed.clientDisconnect += 1;
    if (code === ErrorCodes.MaxTimeMSExpired) {
      killed[work.usesDefaultMaxTimeMS ? 'defaultMaxTimeMSExpired' : 'maxTimeMSExpired'] += 1;
    }
    if (name === 'drop' && code === 0) this.forget((each) => each === ns);
    // A getMore goes on with a scan that was counted when it began.
    if (name === 'getMore') return;
    this.fastPaths += work.plansById;
    if (work.collectionScans > 0) this.#scanned(ns, work);
  }

  /** Scans of one collection since the process started. */
  scansOf(ns: string): CollectionScans {
    return this.#scansByNs.get(ns) ?? { total: 0, nonTailable: 0 };
  }

  /** It is gone, and another of its name begins anew. */
  forget(isGone: (ns: string) => boolean): void {
    for (const ns of [...this.#scansByNs.keys()]) if (isGone(ns)) this.#scansByNs.delete(ns);
  }

  #scanned(ns: string, { collectionScans, isTailable }: EndedWork): void {
    let own = this.#scansByNs.get(ns);
    if (!own) {
      own = { total: 0, nonTailable: 0 };
      this.#scansByNs.set(ns, own);
    }
    for (const scans of [this.collectionScans, own]) {
      scans.total += collectionScans;
      if (!isTailable) scans.nonTailable += collectionScans;
    }
  }
}

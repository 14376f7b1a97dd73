import { type BatchEnd, type DocumentSource, entriesRead, type ScanWork } from '@replsim/operations';
import { boundsOf, conjunctsOf, parseFilterTree } from '@replsim/pipeline';
import {
  BsonType,
  BsonWriter,
  CommandError,
  encodeName,
  findField,
  NULL_TIMESTAMP,
  readTimestamp,
} from '@replsim/protocol';
import type { Filter } from '@replsim/query';
import type { OplogDocuments } from '../member.ts';
import { SLICE } from './matchScan.ts';

export const OPLOG_NS = 'local.oplog.rs';
const TS = encodeName('ts');

export interface OplogScanOptions {
  readonly filter: Uint8Array;
  readonly matches: Filter;
  readonly reverse: boolean;
  readonly tailable: boolean;
  readonly skip: number;
  /** Each batch ends with the time up to which it has looked. */
  readonly tells?: boolean;
}

/**
 * `local.oplog.rs` as a collection: entries in order, or newest first. A lower bound on `ts` is used to find the place.
 * Throws CappedPositionLost 136 when the entries behind a tailing reader have been truncated.
 */
export class OplogSource implements DocumentSource {
  readonly #oplog: OplogDocuments;
  readonly #options: OplogScanOptions;
  #next: number;
  #skip: number;
  #left = SLICE;
  #examined = 0;
  #atEnd = false;
  #hasRead = false;
  /** The last two entries that were looked at: the last may stay behind. */
  #looked: readonly Uint8Array[] = [];
  readonly batchEnd?: (last: Uint8Array | undefined) => BatchEnd;

  constructor(oplog: OplogDocuments, options: OplogScanOptions) {
    this.#oplog = oplog;
    this.#options = options;
    if (options.tells) this.batchEnd = (last) => this.#batchEnd(last !== undefined);
    this.#skip = options.skip;
    this.#next = options.reverse ? oplog.endIndex - 1 : firstIndex(oplog, options.filter);
  }

  get state(): DocumentSource['state'] {
    if (!this.#atEnd) return 'more';
    return this.#options.tailable ? 'waiting' : 'exhausted';
  }

  take(): Uint8Array | undefined {
    for (; this.#left > 0; this.#left--) {
      const entry = this.#advance();
      if (!entry) return undefined;
      this.#examined += 1;
      if (!this.#options.matches(entry)) continue;
      if (this.#skip === 0) return entry;
      this.#skip -= 1;
    }
    return undefined;
  }

  takeWork(): ScanWork {
    const examined = this.#examined;
    this.#examined = 0;
    return entriesRead(examined);
  }

  resume(): void {
    this.#left = SLICE;
    if (this.hasNews()) this.#atEnd = false;
  }

  hasNews(): boolean {
    return !this.#options.reverse && this.#next < this.#oplog.endIndex;
  }

  /** Here a token is a time, and no record id: who goes on asks for what is later. Upstream: collection_scan.cpp, latestOplogTimestamp. */
  #batchEnd(oneStays: boolean): BatchEnd {
    const entry = this.#looked.at(oneStays ? -2 : -1);
    const ts = entry && findField(entry, TS);
    const writer = new BsonWriter(32);
    writer.timestamp('ts', ts ? readTimestamp(ts) : NULL_TIMESTAMP);
    return { resumeToken: writer.finish(), isInvalidated: false };
  }

  #advance(): Uint8Array | undefined {
    const { firstIndex: first } = this.#oplog;
    if (!this.#options.reverse && this.#next < first) {
      if (this.#hasRead) {
        throw new CommandError('CappedPositionLost', 'the entry at which the cursor stood has been truncated');
      }
      this.#next = first;
    }
    const entry = this.#next < first ? undefined : this.#oplog.at(this.#next);
    if (!entry) {
      this.#atEnd = true;
      return undefined;
    }
    this.#hasRead = true;
    if (this.batchEnd) this.#looked = [...this.#looked.slice(-1), entry];
    this.#next += this.#options.reverse ? -1 : 1;
    return entry;
  }
}

/** Where the first entry may be that fulfils what the filter says of `ts`. */
function firstIndex(oplog: OplogDocuments, filter: Uint8Array): number {
  let first = oplog.firstIndex;
  for (const conjunct of conjunctsOf(parseFilterTree(filter))) {
    if (conjunct.kind !== 'leaf' || conjunct.path !== 'ts') continue;
    const value = boundsOf(conjunct)?.intervals[0]?.low.value;
    if (value?.type !== BsonType.timestamp) continue;
    first = Math.max(first, oplog.lowerBound(readTimestamp(value)));
  }
  return first;
}

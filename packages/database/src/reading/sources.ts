import { type BatchEnd, type DocumentSource, NO_WORK, type ScanWork } from '@replsim/operations';
import {
  cappedLimits,
  type DocumentScores,
  initialSyncIdIn,
  type MetRecord,
  type SortDocuments,
  scanToken,
  writeRecordId,
} from '@replsim/pipeline';
import { BsonWriter } from '@replsim/protocol';
import { Evaluation, Meter, UNFINISHED } from '@replsim/query';
import type { MatchScan } from './matchScan.ts';

export interface ScanSourceOptions {
  readonly skip?: number;
  readonly tailable?: boolean;
  /** Each document ends with its `$recordId`. */
  readonly showRecordId?: boolean;
  /** Whose documents keep their scores with it. */
  readonly scores?: DocumentScores | undefined;
  /** Each batch ends with where the scan is. */
  readonly tells?: { readonly namesCopy: boolean } | undefined;
}

/** The matches of a scan, in its order. */
export class ScanSource implements DocumentSource {
  readonly #scan: MatchScan;
  readonly #tailable: boolean;
  readonly #capped: boolean;
  readonly #showRecordId: boolean;
  readonly #scores: DocumentScores | undefined;
  #skip: number;
  /** The last two documents that were given: the last may stay behind. */
  #given: readonly MetRecord[] = [];
  readonly batchEnd?: (last: Uint8Array | undefined) => BatchEnd;

  constructor(scan: MatchScan, options: ScanSourceOptions = {}) {
    const { skip = 0, tailable = false, showRecordId = false, scores } = options;
    const { tells } = options;
    if (tells) this.batchEnd = (last) => this.#batchEnd(last !== undefined, tells.namesCopy);
    this.#scan = scan;
    this.#skip = skip;
    this.#tailable = tailable;
    this.#showRecordId = showRecordId;
    this.#scores = scores;
    this.#capped = cappedLimits(scan.collection) !== undefined;
  }

  get state(): DocumentSource['state'] {
    if (!this.#scan.done) return 'more';
    return this.#tailable ? 'waiting' : 'exhausted';
  }

  take(): Uint8Array | undefined {
    while (this.#scan.next()) {
      if (this.#skip > 0) {
        this.#skip -= 1;
        continue;
      }
      const { recordId, document } = this.#scan;
      if (this.batchEnd) this.#given = [...this.#given.slice(-1), { recordId, document }];
      return this.#document();
    }
    return undefined;
  }

  #batchEnd(oneStays: boolean, namesCopy: boolean): BatchEnd {
    const { view, collection } = this.#scan;
    const last = oneStays ? this.#given.at(-2) : this.#given.at(-1);
    const isOver = this.#scan.done && !this.#tailable && !oneStays;
    const syncId = namesCopy ? initialSyncIdIn(view) : undefined;
    return { resumeToken: scanToken(collection, isOver ? undefined : last, syncId), isInvalidated: false };
  }

  takeWork(): ScanWork {
    return this.#scan.takeWork();
  }

  resume(): void {
    this.#scan.resume();
    if (this.#capped) this.#scan.requirePosition();
    if (this.#scan.done && this.#tailable && this.#scan.hasNews()) this.#scan.reopen();
  }

  hasNews(): boolean {
    return this.#scan.hasNews();
  }

  #document(): Uint8Array {
    const { bytes } = this.#scan.document;
    if (!this.#showRecordId) return bytes;
    const writer = new BsonWriter(bytes.length + 32);
    writer.rawElements(bytes, 4, bytes.length - 1);
    writeRecordId(writer, '$recordId', this.#scan.collection, this.#scan);
    const shown = writer.finish();
    this.#scores?.carry(bytes, shown);
    return shown;
  }
}

/** Another source's documents in another order: all are taken and sorted before the first is given. */
export class SortedSource implements DocumentSource {
  readonly #inner: DocumentSource;
  readonly #sort: SortDocuments;
  readonly #skip: number;
  #found: Uint8Array[] = [];
  /** What is done of the sort, a slice with each `take`, and what the last one cost. */
  #sorting: ReturnType<SortDocuments> | undefined;
  #sortedMicros = 0;
  #sorted: ArraySource | undefined;

  constructor(inner: DocumentSource, sort: SortDocuments, skip = 0) {
    this.#inner = inner;
    this.#sort = sort;
    this.#skip = skip;
  }

  get state(): DocumentSource['state'] {
    return this.#sorted?.state ?? 'more';
  }

  take(): Uint8Array | undefined {
    if (!this.#sorted) {
      if (!this.#sorting && !this.#isAllFound()) return undefined;
      this.#sorting ??= this.#sort(this.#found, new Meter());
      const step = this.#sorting.next();
      if (!step.done) {
        this.#sortedMicros += step.value;
        return undefined;
      }
      this.#sorted = new ArraySource(step.value.slice(this.#skip));
      this.#found = [];
    }
    return this.#sorted.take();
  }

  #isAllFound(): boolean {
    for (let document = this.#inner.take(); document; document = this.#inner.take()) this.#found.push(document);
    return this.#inner.state !== 'more';
  }

  takeWork(): ScanWork {
    const work = this.#inner.takeWork();
    const charged = work.charged + this.#sortedMicros;
    this.#sortedMicros = 0;
    return { ...work, charged };
  }

  /** Once found, the documents no longer depend on the collection. */
  resume(): void {
    if (!this.#sorting) this.#inner.resume();
  }
}

/** Documents that are there already, such as the results of an aggregation. */
export class ArraySource implements DocumentSource {
  readonly #documents: readonly Uint8Array[];
  #next = 0;

  constructor(documents: readonly Uint8Array[]) {
    this.#documents = documents;
  }

  get state(): DocumentSource['state'] {
    return this.#next < this.#documents.length ? 'more' : 'exhausted';
  }

  take(): Uint8Array | undefined {
    const document = this.#documents[this.#next];
    if (document) this.#next += 1;
    return document;
  }

  takeWork(): ScanWork {
    return NO_WORK;
  }

  resume(): void {}
}

/** Another source's documents, each changed on its way: a projection. */
export class MappedSource implements DocumentSource {
  readonly #inner: DocumentSource;
  readonly #map: (document: Uint8Array) => Uint8Array;
  readonly #meter: Meter | undefined;
  readonly #evaluation: Evaluation | undefined;
  /** What is not at the end of being changed. */
  #halfDone: Uint8Array | undefined;

  readonly batchEnd?: (last: Uint8Array | undefined) => BatchEnd;

  /** @param meter of the expressions that the change computes */
  constructor(inner: DocumentSource, map: (document: Uint8Array) => Uint8Array, meter?: Meter) {
    this.#inner = inner;
    if (inner.batchEnd) this.batchEnd = (last) => inner.batchEnd!(last);
    this.#map = map;
    this.#meter = meter;
    this.#evaluation = meter && new Evaluation(meter);
  }

  get state(): DocumentSource['state'] {
    return this.#halfDone ? 'more' : this.#inner.state;
  }

  take(): Uint8Array | undefined {
    const document = this.#halfDone ?? this.#inner.take();
    this.#halfDone = undefined;
    if (!document) return undefined;
    if (!this.#evaluation) return this.#map(document);
    const mapped = this.#evaluation.attempt(() => this.#map(document));
    if (mapped !== UNFINISHED) return mapped;
    this.#halfDone = document;
    return undefined;
  }

  takeWork(): ScanWork {
    const work = this.#inner.takeWork();
    return this.#meter?.isDue ? { ...work, charged: work.charged + this.#meter.take() } : work;
  }

  resume(): void {
    this.#inner.resume();
  }

  hasNews(): boolean {
    return this.#inner.hasNews?.() ?? false;
  }
}

/** Another source's documents that a condition lets through. */
export class FilteredSource implements DocumentSource {
  readonly #inner: DocumentSource;
  readonly #keep: (document: Uint8Array) => boolean;

  constructor(inner: DocumentSource, keep: (document: Uint8Array) => boolean) {
    this.#inner = inner;
    this.#keep = keep;
  }

  get state(): DocumentSource['state'] {
    return this.#inner.state;
  }

  take(): Uint8Array | undefined {
    let document = this.#inner.take();
    while (document && !this.#keep(document)) document = this.#inner.take();
    return document;
  }

  takeWork(): ScanWork {
    return this.#inner.takeWork();
  }

  resume(): void {
    this.#inner.resume();
  }
}

/** Several documents for each one of another source, such as the measurements of a bucket. */
export class UnwoundSource implements DocumentSource {
  readonly #inner: DocumentSource;
  readonly #unwind: (document: Uint8Array) => readonly Uint8Array[];
  #documents: readonly Uint8Array[] = [];
  #next = 0;

  constructor(inner: DocumentSource, unwind: (document: Uint8Array) => readonly Uint8Array[]) {
    this.#inner = inner;
    this.#unwind = unwind;
  }

  get state(): DocumentSource['state'] {
    return this.#next < this.#documents.length ? 'more' : this.#inner.state;
  }

  take(): Uint8Array | undefined {
    while (this.#next === this.#documents.length) {
      const document = this.#inner.take();
      if (!document) return undefined;
      this.#documents = this.#unwind(document);
      this.#next = 0;
    }
    return this.#documents[this.#next++];
  }

  takeWork(): ScanWork {
    return this.#inner.takeWork();
  }

  resume(): void {
    this.#inner.resume();
  }
}

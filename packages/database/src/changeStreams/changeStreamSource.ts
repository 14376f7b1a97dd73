import {
  CURRENT_TOKEN_VERSION,
  type EncodedToken,
  type EventDetail,
  encodeEvent,
  encodeInvalidate,
  eventOf,
  eventToken,
  highWaterMark,
  operationsOf,
  placeOf,
  type StreamEvent,
  type StreamOperation,
  StreamScope,
  splitEvent,
  type TokenVersion,
} from '@replsim/changestreams';
import {
  type BatchEnd,
  type DocumentSource,
  entriesRead,
  type ScanWork,
  type ServerCounters,
} from '@replsim/operations';
import { MAX_BSON_OBJECT_SIZE } from '@replsim/pipeline';
import {
  CommandError,
  compareTimestamps,
  encodeName,
  findField,
  NULL_TIMESTAMP,
  type OplogEntry,
  type OplogOperation,
  type OpTime,
  type Timestamp,
} from '@replsim/protocol';
import type { CommittedOplog } from '../member.ts';
import { SLICE } from '../reading/matchScan.ts';
import { historyLost, isWholeHistory } from './historyLost.ts';
import { ResumePoint } from './resumePoint.ts';
import { imagesOf, type StreamData } from './streamImages.ts';
import type { StreamSpec } from './streamSpec.ts';
import type { StreamStages } from './streamStages.ts';

const ID = encodeName('_id');
/** What an event may weigh that is not divided. Unit: bytes. Upstream: BSONObjMaxInternalSize. */
const MAX_EVENT_SIZE = MAX_BSON_OBJECT_SIZE + 16_384;
/** What a part may weigh: the largest document fits into one, with what says which part it is. Unit: bytes. Upstream: kBSONObjMaxChangeEventSize. */
const MAX_PART_SIZE = MAX_EVENT_SIZE - 8192;

/** What a stream is made of. */
export interface StreamParts {
  readonly spec: StreamSpec;
  readonly stages: StreamStages;
  readonly detail: EventDetail;
  readonly oplog: CommittedOplog;
  readonly data: StreamData;
  /** From where on entries are read, and what the client gets to resume from there. */
  readonly start: { readonly ts: Timestamp; readonly token: Uint8Array };
  readonly tokenVersion: TokenVersion;
  readonly counters: ServerCounters['changeStreams'];
  /** Told when the entries are gone that it has to begin with. */
  readonly onHistoryLost: () => void;
}

/** A document for the client, and the token that says that the client has it. */
interface Ready {
  readonly document: Uint8Array;
  readonly token: Uint8Array;
}

/**
 * The events of a stream, made of the majority-committed part of this member's oplog as they are asked for: what is not yet
 * committed is not there, so that nothing is ever shown that is rolled back.
 * Upstream: document_source_change_stream.cpp and the stages that it becomes; plan_executor_pipeline.cpp for the tokens.
 */
export class ChangeStreamSource implements DocumentSource {
  readonly #parts: StreamParts;
  readonly #scope: StreamScope;
  readonly #resume: ResumePoint | undefined;
  readonly #wants = (operation: OplogOperation): boolean => this.#scope.includes(operation);
  readonly #entryAt = (opTime: OpTime): OplogEntry => this.#parts.oplog.entry(opTime) ?? this.#lost();
  /** Index of the next entry; undefined until the first is looked for. */
  #next: number | undefined;
  #operations: readonly StreamOperation[] = [];
  #nextOperation = 0;
  #ready: Ready[] = [];
  #left = SLICE;
  #examined = 0;
  #state: DocumentSource['state'] = 'more';
  #isInvalidated = false;
  /** From where a client that has everything so far would go on, and the time that this token stands for. */
  #token: Uint8Array;
  #tokenTs: Timestamp;
  /** The newest entry looked at, whatever was in it. */
  #looked: Timestamp = NULL_TIMESTAMP;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#scope = new StreamScope(parts.spec.target, parts.spec);
    this.#resume = parts.spec.token && new ResumePoint(parts.spec.token);
    this.#token = parts.start.token;
    this.#tokenTs = parts.start.ts;
  }

  get entriesOf(): string {
    const { target } = this.#scope;
    return target.kind === 'collection' ? target.ns : '';
  }

  get state(): DocumentSource['state'] {
    return this.#state;
  }

  take(): Uint8Array | undefined {
    for (;;) {
      const ready = this.#ready.shift();
      if (ready) {
        this.#token = ready.token;
        return ready.document;
      }
      if (this.#isInvalidated) {
        this.#state = 'exhausted';
        return undefined;
      }
      const operation = this.#operations[this.#nextOperation];
      if (operation) {
        this.#nextOperation += 1;
        this.#process(operation);
      } else if (!this.#readEntry()) return undefined;
    }
  }

  takeWork(): ScanWork {
    const examined = this.#examined;
    this.#examined = 0;
    return entriesRead(examined);
  }

  resume(): void {
    this.#left = SLICE;
    if (this.#state === 'waiting') this.#state = 'more';
  }

  /** Looks past what is not for this stream, so that whoever waits for it is not woken. */
  hasNews(): boolean {
    const { oplog } = this.#parts;
    let next = this.#next ?? this.#begin();
    for (; next < oplog.endIndex; next++) {
      const entry = oplog.at(next);
      if (!entry || entry.applyOps || this.#scope.includes(entry.operation)) break;
      this.#looked = entry.opTime.ts;
      this.#examined += 1;
    }
    this.#next = next;
    if (next < oplog.endIndex) return true;
    this.#tellLooked();
    return false;
  }

  batchEnd(last: Uint8Array | undefined): BatchEnd {
    const resumeToken = (last && tokenIn(last)) ?? this.#token;
    return { resumeToken, isInvalidated: this.#state === 'exhausted' };
  }

  /** Where it begins. Errors: ChangeStreamHistoryLost 286. */
  #begin(): number {
    const { oplog, start } = this.#parts;
    const oldest = oplog.at(oplog.firstIndex);
    if (oldest && compareTimestamps(oldest.opTime.ts, start.ts) > 0 && !isWholeHistory(oldest)) this.#lost();
    this.#next = oplog.lowerBound(start.ts);
    return this.#next;
  }

  #lost(): never {
    this.#parts.onHistoryLost();
    throw historyLost();
  }

  /** Looks at one entry more; false at the end of what is committed, or of the slice. */
  #readEntry(): boolean {
    const { oplog, start } = this.#parts;
    const next = this.#next ?? this.#begin();
    if (next < oplog.firstIndex) {
      throw new CommandError('CappedPositionLost', 'the entry at which the change stream stood has been truncated');
    }
    const entry = next < oplog.endIndex ? oplog.at(next) : undefined;
    if (!entry) {
      this.#state = 'waiting';
      this.#tellLooked();
      return false;
    }
    if (this.#left === 0) return false;
    this.#left -= 1;
    this.#examined += 1;
    this.#next = next + 1;
    this.#looked = entry.opTime.ts;
    // A stream may begin at a time that is yet to come.
    const isDue = compareTimestamps(entry.opTime.ts, start.ts) >= 0;
    this.#operations = isDue ? operationsOf(entry, this.#wants, this.#entryAt) : [];
    this.#nextOperation = 0;
    return true;
  }

  /** At the end of what there is, the client learns up to where there was nothing for it. */
  #tellLooked(): void {
    if (compareTimestamps(this.#looked, this.#tokenTs) <= 0) return;
    this.#tokenTs = this.#looked;
    this.#token = highWaterMark(this.#looked, this.#parts.tokenVersion).document;
  }

  #process(source: StreamOperation): void {
    const { spec, tokenVersion } = this.#parts;
    const event = eventOf(source);
    const version =
      tokenVersion === CURRENT_TOKEN_VERSION ? (this.#resume?.versionFor(source) ?? tokenVersion) : tokenVersion;
    const token = eventToken(placeOf(event), version);
    const verdict = this.#resume?.judge(token) ?? 'show';
    if (verdict !== 'swallow' && (event.isClassic || spec.showExpandedEvents)) {
      this.#show(event, token, verdict === 'show' ? -1 : this.#resume!.fragmentNum);
    }
    if (this.#scope.isInvalidatedBy(source.operation)) this.#invalidate(event, version);
  }

  /** @param has the number of the last part of the event that the client has, -1 for none */
  #show(event: StreamEvent, token: EncodedToken, has: number): void {
    const { spec, stages, detail, data } = this.#parts;
    const bare = encodeEvent(event, token.document, detail, {});
    if (!stages.wantsWithoutImages(bare)) return;
    const images = imagesOf(event, spec, data);
    const whole = Object.keys(images).length === 0 ? bare : encodeEvent(event, token.document, detail, images);
    const document = stages.shape(whole);
    if (!document) return;
    checkToken(document, token);
    this.#tokenTs = event.source.clusterTime;
    const maxBytes = stages.splits ? MAX_PART_SIZE : MAX_EVENT_SIZE;
    if (document.length <= maxBytes && has < 0) this.#ready.push({ document, token: token.document });
    else this.#showInParts(document, event, has);
  }

  /** Errors: BSONObjectTooLarge 10334, ChangeStreamFatalError 280 if it no longer falls into the parts that the client has. */
  #showInParts(document: Uint8Array, event: StreamEvent, has: number): void {
    const { stages, counters } = this.#parts;
    const place = placeOf(event);
    const tokenOf = (fragmentNum: number) => eventToken({ ...place, fragmentNum }).document;
    const fragments =
      stages.splits && document.length > MAX_PART_SIZE ? splitEvent(document, MAX_PART_SIZE, tokenOf) : undefined;
    if (has >= 0 && (!fragments || fragments.length <= has)) throw this.#resume!.notFound();
    if (!fragments) {
      counters.largeEventsFailed += 1;
      throw new CommandError(
        'BSONObjectTooLarge',
        `BSONObj size: ${document.length} is invalid: a change event may have ${MAX_BSON_OBJECT_SIZE} bytes at most. ` +
          '$changeStreamSplitLargeEvent at the end of the pipeline divides such events.',
      );
    }
    counters.largeEventsSplit += 1;
    for (const [i, fragment] of fragments.entries()) {
      if (i > has) this.#ready.push({ document: fragment, token: tokenOf(i) });
    }
  }

  /** After its cause a stream has one event more, and ends; unless its client knows of that already. */
  #invalidate(cause: StreamEvent, version: TokenVersion): void {
    const token = eventToken(placeOf(cause, true), version);
    if (this.#resume && this.#resume.judge(token) === 'swallow') return;
    this.#isInvalidated = true;
    const document = this.#parts.stages.shape(encodeInvalidate(cause, token.document));
    if (document) this.#ready.push({ document, token: token.document });
    else this.#token = token.document;
  }
}

function tokenIn(document: Uint8Array): Uint8Array | undefined {
  const id = findField(document, ID);
  return id?.bytes.slice(id.offset, id.offset + id.size);
}

/**
 * The words of this error are upstream's: the suites of drivers in C and Ruby look for them. Upstream: plan_executor_pipeline.cpp,
 * _validateChangeStreamsResumeToken. Errors: ChangeStreamFatalError 280 where the stages have changed the token, by which the client would
 * have to resume.
 */
function checkToken(document: Uint8Array, { document: token }: EncodedToken): void {
  const id = tokenIn(document);
  if (id && id.length === token.length && id.every((byte, i) => byte === token[i])) return;
  throw new CommandError(
    'ChangeStreamFatalError',
    'Encountered an event whose _id field, which contains the resume token, was modified by the pipeline. Modifying the _id field of an event makes it impossible to resume the stream from that point. Only transformations that retain the unmodified _id field are allowed.',
  );
}

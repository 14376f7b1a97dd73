import { runWaiting, type Waiting, waitFor } from '@replsim/driver';
import {
  type BsonValue,
  codeNameOf,
  decodePromoted,
  ElementCursor,
  encodeDocument,
  encodeName,
  findField,
  RawBson,
  readInt64,
  requiredField,
} from '@replsim/protocol';
import type { Answer, ClientEnd, ReplicaSetApi } from '@replsim/replset';
import { fillFields, fillValue } from '../file/placeholder.ts';
import type { WatchAction } from '../scenario.ts';
import { endingOf } from '../stage/answers.ts';
import type { Fillings } from '../stage/fillings.ts';
import type { Members } from '../stage/members.ts';
import { eventTrace } from './eventTrace.ts';

/** How long a client waits before it looks for a server again, as drivers' monitors do. Unit: µs. */
const LOOK_AGAIN_MICROS = 500_000;
/** Nobody asks this long for a server that does not come. Upstream: serverSelectionTimeoutMS. */
const SELECTION_MICROS = 30_000_000;
/** What a driver's own errors are told by: no server, a connection that broke. */
const HOST_UNREACHABLE = 6;
const CURSOR_NOT_FOUND = 43;
const RESUMABLE = 'ResumableChangeStreamError';
/** What is wrong may pass, and opening a stream twice does no harm. Upstream: the retryable reads specification. */
const RETRYABLE: ReadonlySet<number> = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** Options with which a stream shows each change all the same. */
const TELLS_MORE: ReadonlySet<string> = new Set([
  'allChangesForCluster',
  'fullDocument',
  'fullDocumentBeforeChange',
  'showExpandedEvents',
]);

/** Why a stream shows nothing more. */
export interface StreamEnd {
  /** 0 where its collection or database is gone, or nobody wants it any more. */
  readonly code: number;
  readonly text: string;
}

/** What a request came to: the reply's `cursor`, or what failed. */
type Got = { readonly cursor: BsonValue } | { readonly failure: StreamEnd; readonly mayResume: boolean };

/**
 * A change stream that a scenario's client holds open beside the steps. It asks for more as long as it lives, and goes on elsewhere
 * as drivers do: once for each error that allows it, from the newest token that it has. Upstream: the change streams specification.
 */
export class Stream {
  /** What it has shown, oldest first, BSON. */
  readonly events: Uint8Array[] = [];
  readonly #action: WatchAction;
  readonly #set: ReplicaSetApi;
  readonly #members: Members;
  readonly #fillings: Fillings;
  readonly #client: ClientEnd;
  #token: Uint8Array | undefined;
  #hasEvents = false;
  #end: StreamEnd | undefined;
  #stopped = false;

  constructor(action: WatchAction, set: ReplicaSetApi, members: Members, fillings: Fillings) {
    this.#action = action;
    this.#set = set;
    this.#members = members;
    this.#fillings = fillings;
    this.#client = set.client(action.name);
    runWaiting(this.#run(), (end) => this.#finish(end));
  }

  /** Undefined while it goes on. */
  get end(): StreamEnd | undefined {
    return this.#end;
  }

  /** Asks for nothing more. */
  stop(): void {
    if (this.#end || this.#stopped) return;
    this.#stopped = true;
    this.#finish({ code: 0, text: 'stopped' });
  }

  #finish(end: StreamEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#set.record({ type: 'streamEnded', stream: this.#action.name, code: end.code, reason: end.text });
  }

  *#run(): Waiting<StreamEnd> {
    let isResumed = false;
    for (;;) {
      const member = yield* this.#select();
      if (member === undefined)
        return { code: HOST_UNREACHABLE, text: `no server for "${this.#action.on.join(', ')}" in 30 s` };
      const opened = yield* this.#request(member, this.#aggregate(member, isResumed));
      if ('failure' in opened) {
        if (!opened.mayResume) return opened.failure;
        yield* this.#pause();
        continue;
      }
      this.#recordOpened(member, isResumed);
      const ended = yield* this.#follow(member, opened.cursor);
      if (ended) return ended;
      isResumed = true;
    }
  }

  /** Asks for batch after batch. @returns why it is over; undefined if it may be resumed */
  *#follow(member: string, first: BsonValue): Waiting<StreamEnd | undefined> {
    let cursor = first;
    for (;;) {
      const id = this.#take(member, cursor);
      if (id === 0n) return { code: 0, text: 'invalidated' };
      const command = { getMore: id, collection: this.#collection, $db: this.#action.db };
      const got = yield* this.#request(member, encodeDocument(command));
      if (this.#stopped) return { code: 0, text: 'stopped' };
      if ('failure' in got) return got.mayResume ? undefined : got.failure;
      cursor = got.cursor;
    }
  }

  /** Keeps what a batch brings. @returns the cursor's id */
  #take(member: string, { bytes, offset }: BsonValue): bigint {
    const batch = findField(bytes, FIRST_BATCH, offset) ?? requiredField(bytes, NEXT_BATCH, offset);
    const events = documentsIn(batch);
    const token = findField(bytes, TOKEN, offset);
    if (token) this.#token = bytes.slice(token.offset, token.offset + token.size);
    if (events.length > 0) {
      this.#hasEvents = true;
      for (const event of events) this.events.push(event);
      this.#set.record({
        type: 'streamShowed',
        stream: this.#action.name,
        server: member,
        events: events.map(eventTrace),
      });
    }
    const id = requiredField(bytes, ID, offset);
    return readInt64(bytes, id.offset);
  }

  get #collection(): unknown {
    const { collection } = this.#action;
    return collection === 1 ? '$cmd.aggregate' : collection;
  }

  #aggregate(member: string, isResumed: boolean): Uint8Array {
    const { db, collection, options, pipeline } = this.#action;
    const filling = this.#fillings.for(member);
    const spec = fillFields(options, filling);
    if (isResumed && this.#token) {
      // Behind an invalidation only `startAfter` may begin: whoever began so and has seen nothing goes on so.
      const how = spec.has('startAfter') && !this.#hasEvents ? 'startAfter' : 'resumeAfter';
      for (const start of ['resumeAfter', 'startAfter', 'startAtOperationTime']) spec.delete(start);
      spec.set(how, new RawBson(this.#token));
    }
    const stages = fillValue(pipeline, filling) as readonly unknown[];
    return encodeDocument({
      aggregate: collection,
      pipeline: [{ $changeStream: spec }, ...stages],
      cursor: {},
      $readPreference: { mode: 'primaryPreferred' },
      $db: db,
    });
  }

  /** The first member that fits, for which it waits as drivers do. */
  *#select(): Waiting<string | undefined> {
    for (
      const until = this.#client.nowMicros + SELECTION_MICROS;
      this.#client.nowMicros <= until;
      yield* this.#pause()
    ) {
      const fit = this.#members.toAsk(this.#action.on).find((member) => this.#members.answers(member));
      if (fit !== undefined || this.#stopped) return fit;
    }
    return undefined;
  }

  *#pause(): Waiting<void> {
    yield* waitFor<void>((resume) => this.#client.schedule(LOOK_AGAIN_MICROS, () => resume(undefined)));
  }

  *#request(member: string, command: Uint8Array): Waiting<Got> {
    const host = this.#set.hostOf(member);
    const answer = yield* waitFor<Answer>((resume) => this.#client.send(host, command, resume));
    if (answer.kind !== 'reply') return { failure: { code: HOST_UNREACHABLE, text: answer.errmsg }, mayResume: true };
    const { ok, errors } = endingOf(answer.reply);
    const [error] = errors;
    if (ok || !error) return { cursor: requiredField(answer.reply, CURSOR) };
    const { errorLabels = [] } = decodePromoted(answer.reply) as { errorLabels?: string[] };
    const mayResume = errorLabels.includes(RESUMABLE) || error.code === CURSOR_NOT_FOUND || RETRYABLE.has(error.code);
    return {
      failure: { code: error.code, text: `${codeNameOf(error.code)} (${error.code}): ${error.errmsg}` },
      mayResume,
    };
  }

  #recordOpened(server: string, resumed: boolean): void {
    const { name: stream, ns, pipeline, options } = this.#action;
    const selective =
      (pipeline as readonly unknown[]).length > 0 || [...options.keys()].some((option) => !TELLS_MORE.has(option));
    this.#set.record({ type: 'streamOpened', stream, server, ns, resumed, selective });
  }
}

const CURSOR = encodeName('cursor');
const ID = encodeName('id');
const FIRST_BATCH = encodeName('firstBatch');
const NEXT_BATCH = encodeName('nextBatch');
const TOKEN = encodeName('postBatchResumeToken');

function documentsIn({ bytes, offset }: BsonValue): Uint8Array[] {
  const documents: Uint8Array[] = [];
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) documents.push(bytes.slice(cursor.offset, cursor.offset + cursor.size));
  return documents;
}

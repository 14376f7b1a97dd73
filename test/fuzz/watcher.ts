import { encodeDocument } from '@replsim/protocol';
import { eventTrace, runWaiting, type Waiting } from '@replsim/scenario';
import { SCRATCH } from './besides.ts';
import { ACCOUNTS, LEDGER } from './books.ts';
import type { Caller, Doc, Reply } from './caller.ts';
import { EXPIRING } from './clients.ts';
import { type ChangeEvent, Copy } from './copy.ts';
import type { Tally } from './tally.ts';

const SECOND = 1_000_000;
const CURSOR_NOT_FOUND = 43;
const FATAL = 280;
const HISTORY_LOST = 286;
const RESUMABLE = 'ResumableChangeStreamError';
/** Errors of servers that are gone, or not what one needs: whoever opens a stream tries again. */
const RETRYABLE: ReadonlySet<number> = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** What a stream watches, and what it wants told. */
interface Target {
  readonly ns: string;
  readonly db: string;
  readonly collection: string | 1;
  readonly spec: Doc;
}

interface Cursor {
  readonly id: unknown;
  readonly firstBatch?: readonly ChangeEvent[];
  readonly nextBatch?: readonly ChangeEvent[];
  readonly postBatchResumeToken?: Doc;
}

/**
 * A client that holds a change stream open on whichever member, asks for more, goes on elsewhere after errors that drivers resume
 * after (and sometimes for no reason), and opens a new one where the old one is over.
 */
export class Watcher {
  readonly #name: string;
  readonly #caller: Caller;
  readonly #tally: Tally;
  readonly #forces: boolean;
  readonly target: Target;
  #story = 0;
  #copy: Copy;
  #token: Doc | undefined;
  #member: string | undefined;
  #stopped = false;
  atWork = true;
  isOpen = false;
  settled = false;
  /** The `_id` of the document whose insert was shown last. */
  lastInserted: unknown;

  constructor(name: string, caller: Caller, tally: Tally, forces: boolean) {
    this.#name = name;
    this.#caller = caller;
    this.#tally = tally;
    this.#forces = forces;
    this.target = drawTarget(caller);
    this.#copy = this.#emptyCopy();
    runWaiting(this.#work(), () => {
      this.atWork = false;
    });
  }

  /** What it has shown, against what is there; nothing where it watches more than one collection. @param documents all of it */
  differs(documents: readonly Doc[]): string | undefined {
    return this.target.collection === 1 ? undefined : this.#copy.differs(documents);
  }

  get name(): string {
    return `${this.#name}.${this.#story}`;
  }

  stop(): void {
    this.#stopped = true;
  }

  *#work(): Waiting<void> {
    const { random } = this.#caller;
    while (!this.#stopped) {
      yield* this.#caller.pause(this.settled ? SECOND / 2 : random.int(0, 2 * SECOND));
      const cursor = yield* this.#open();
      if (cursor) yield* this.#follow(cursor);
      this.isOpen = false;
    }
  }

  *#open(): Waiting<Cursor | undefined> {
    const { random, set } = this.#caller;
    const { db, collection, ns, spec } = this.target;
    const member = random.pick(set.memberNames);
    const resumed = this.#token !== undefined;
    const how = this.#token && { [this.#begins()]: this.#token };
    const command = {
      aggregate: collection,
      pipeline: [{ $changeStream: { ...spec, ...how } }],
      cursor: random.chance(0.3) ? { batchSize: random.int(0, 3) } : {},
      $readPreference: { mode: 'secondaryPreferred' },
      $db: db,
    };
    const reply = yield* this.#caller.call(member, command);
    if (reply.ok !== 1) {
      this.#failed(reply);
      return undefined;
    }
    if (!resumed) this.#story += 1;
    set.record({ type: 'streamOpened', stream: this.name, server: member, ns, resumed, selective: false });
    this.#tally.add(resumed ? 'stream resumed' : `stream opened on ${kindOf(this.target)}`);
    if (resumed && this.#member !== member) this.#tally.add('stream resumed on another member');
    this.#member = member;
    this.isOpen = true;
    return reply.cursor as Cursor;
  }

  /** Behind an invalidation only `startAfter` may begin; elsewhere the two are the same. */
  #begins(): string {
    if (this.#isInvalidated) return 'startAfter';
    return this.#caller.random.pick(['resumeAfter', 'startAfter']);
  }

  #isInvalidated = false;

  *#follow(first: Cursor): Waiting<void> {
    const { random } = this.#caller;
    const member = this.#member!;
    let cursor = first;
    for (;;) {
      this.#take(member, cursor);
      if (this.#stopped) return;
      if (String(cursor.id) === '0') {
        this.#tally.add('stream invalidated');
        this.#isInvalidated = true;
        if (random.chance(0.4)) this.#end(0, 'invalidated');
        return;
      }
      // The cursor is left behind.
      if (!this.settled && random.chance(0.02)) return;
      if (random.chance(0.2)) yield* this.#caller.pause(random.int(0, 4 * SECOND));
      const collection = this.target.collection === 1 ? '$cmd.aggregate' : this.target.collection;
      const reply = yield* this.#caller.call(member, { getMore: idOf(cursor), collection, $db: this.target.db });
      if (reply.ok !== 1) return this.#failed(reply);
      cursor = reply.cursor as Cursor;
    }
  }

  #take(server: string, { firstBatch, nextBatch, postBatchResumeToken }: Cursor): void {
    const events = firstBatch ?? nextBatch ?? [];
    if (postBatchResumeToken) this.#token = postBatchResumeToken;
    if (events.length === 0) return;
    this.#isInvalidated = false;
    // Shown before it is judged, so that the invariants come first.
    const shown = events.map((event) => eventTrace(encodeDocument(event)));
    this.#caller.set.record({ type: 'streamShowed', stream: this.name, server, events: shown });
    for (const event of events) this.#look(event);
  }

  #look(event: ChangeEvent): void {
    const { operationType, documentKey, txnNumber, fullDocument, fullDocumentBeforeChange } = event;
    this.#tally.add('stream event');
    if (txnNumber !== undefined) this.#tally.add('stream event of a transaction');
    if (fullDocumentBeforeChange) this.#tally.add('stream event with its image before');
    if (operationType === 'update' && fullDocument) this.#tally.add('stream event with its document after');
    if (operationType === 'insert') this.lastInserted = documentKey?._id;
    if (this.target.collection === 1) return;
    const wrong = this.#copy.take(event);
    if (wrong !== undefined && !this.#forces) throw new Error(`${this.name} on ${this.#member}: ${wrong}`);
  }

  #failed({ code = 0, errmsg, errorLabels }: Reply): void {
    if (errorLabels?.includes(RESUMABLE) || code === CURSOR_NOT_FOUND || RETRYABLE.has(code)) return;
    if (code === HISTORY_LOST) this.#tally.add('stream: history lost');
    else if (code === FATAL && !this.#forces) throw new Error(`${this.name} on ${this.#member}: ${errmsg}`);
    else this.#tally.add(`stream ended: ${code}`);
    this.#end(code, errmsg ?? '');
  }

  /** The next one is a new one. */
  #end(code: number, reason: string): void {
    if (this.#token !== undefined) this.#caller.set.record({ type: 'streamEnded', stream: this.name, code, reason });
    this.#token = undefined;
    this.#isInvalidated = false;
    this.#copy = this.#emptyCopy();
  }

  #emptyCopy(): Copy {
    return new Copy(this.target.spec.fullDocument !== 'updateLookup');
  }
}

function drawTarget({ random }: Caller): Target {
  const what = random.pick([ACCOUNTS, ACCOUNTS, LEDGER, SCRATCH, EXPIRING, 'database', 'cluster']);
  // Elsewhere hardly any change has images, and who requires one sees nothing but the first.
  const required = what === ACCOUNTS || what === LEDGER ? ['required'] : [];
  const fullDocument = random.pick([undefined, 'updateLookup', 'whenAvailable', ...required]);
  const before = random.pick([undefined, undefined, 'whenAvailable', ...required]);
  const spec: Doc = {
    ...(fullDocument && { fullDocument }),
    ...(before && { fullDocumentBeforeChange: before }),
    ...(random.chance(0.3) && { showExpandedEvents: true }),
  };
  if (what === 'cluster')
    return { ns: 'the cluster', db: 'admin', collection: 1, spec: { ...spec, allChangesForCluster: true } };
  if (what === 'database') return { ns: 'app', db: 'app', collection: 1, spec };
  return { ns: `app.${what}`, db: 'app', collection: what, spec };
}

function kindOf({ ns }: Target): string {
  if (ns.includes(' ')) return ns;
  return ns.includes('.') ? 'a collection' : 'a database';
}

function idOf({ id }: Cursor): bigint {
  return BigInt(String(id));
}

import type { Random } from '@replsim/kernel';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import type { PendingReply, ReplSet } from '@replsim/replset';
import { Binary } from 'bson';
import { askNow, type Doc, primariesOf } from './caller.ts';
import type { Tally } from './tally.ts';

/** Collections whose documents never expire and are never deleted: what was acknowledged there must stay. */
const KEPT = 'kept';
const COUNTERS = 'counters';
/** Documents with dates, which TTL deletes. */
export const EXPIRING = 'sessions';
const COUNTER_IDS = ['a', 'b', 'c'];
const WRITE_CONCERNS: readonly Doc[] = [
  { w: 1 },
  { w: 'majority', wtimeout: 5000 },
  { w: 'majority', wtimeout: 5000 },
  { w: 'majority', j: true, wtimeout: 20_000 },
  { w: 2, wtimeout: 5000 },
  { w: 1, j: true },
];
const READS: readonly Doc[] = [
  { readConcern: { level: 'local' }, $readPreference: { mode: 'secondaryPreferred' } },
  { readConcern: { level: 'majority' }, $readPreference: { mode: 'secondaryPreferred' }, maxTimeMS: 5000 },
  { readConcern: { level: 'linearizable' }, maxTimeMS: 5000 },
  { readConcern: { level: 'snapshot' }, $readPreference: { mode: 'secondaryPreferred' }, maxTimeMS: 5000 },
];

interface Sent {
  readonly command: Doc;
  readonly pending: PendingReply;
  readonly retried: boolean;
  /** Called when it was carried out. */
  readonly acknowledged: (concernHeld: boolean) => void;
}

/** Clients that write and read at random, retry as drivers do, and remember what they were promised. */
export class Clients {
  readonly #set: ReplSet;
  readonly #random: Random;
  readonly #tally: Tally;
  #sent: Sent[] = [];
  #nextId = 0;
  #nextTxnNumber = 1;
  readonly #session: Doc;
  /** `_id`s whose insert a majority acknowledged. */
  readonly #promised = new Set<number>();
  readonly #attempted = new Set<number>();
  readonly #increments = new Map(COUNTER_IDS.map((id) => [id, { attempted: 0, promised: 0 }]));

  constructor(set: ReplSet, random: Random, tally: Tally) {
    this.#set = set;
    this.#random = random;
    this.#tally = tally;
    this.#session = { id: new Binary(random.bytes(16), 4) };
  }

  primaries(): string[] {
    return primariesOf(this.#set);
  }

  ask(member: string, command: Doc): Doc {
    return askNow(this.#set, member, command);
  }

  /** Makes the collections and the TTL index. */
  begin(): void {
    this.makeIndex();
    const updates = COUNTER_IDS.map((id) => ({ q: { _id: id }, u: { $setOnInsert: { n: 0 } }, upsert: true }));
    this.#toPrimary({ update: COUNTERS, updates, $db: 'app' }, () => {});
  }

  /** Does nothing where it is there; but a rollback may have taken it away. */
  makeIndex(): void {
    const index = { key: { at: 1 }, name: 'at_1', expireAfterSeconds: 30 };
    this.#toPrimary({ createIndexes: EXPIRING, indexes: [index], $db: 'app' }, () => {});
  }

  /**
   * Builds an index, drops one, or changes how soon documents expire. Draws from a stream of its own, as builds were not
   * always among what clients do.
   */
  changeIndexes(random: Random): void {
    const collection = random.pick([EXPIRING, EXPIRING, KEPT]);
    const [field, ...options] = random.pick([
      ['n'],
      ['m', { unique: true, sparse: true }],
      ['at', { sparse: true }],
    ] as const);
    const name = `${field}_by_fuzz`;
    switch (random.int(0, 8)) {
      case 0:
        return this.#toPrimary({ dropIndexes: collection, index: random.pick([name, '*']), $db: 'app' }, () => {});
      case 1: {
        const index = { name: 'at_1', expireAfterSeconds: random.int(20, 30) };
        return this.#toPrimary({ collMod: EXPIRING, index, $db: 'app' }, () => {});
      }
      default: {
        const commitQuorum = random.pick(['votingMembers', 'votingMembers', 'majority', 1, 0]);
        const index = { key: { [field]: 1 }, name, ...options[0] };
        return this.#toPrimary({ createIndexes: collection, indexes: [index], commitQuorum, $db: 'app' }, () => {});
      }
    }
  }

  /** One thing that a client does. */
  turn(): void {
    const random = this.#random;
    const writeConcern = random.pick(WRITE_CONCERNS);
    const majority = writeConcern.w === 'majority';
    switch (random.int(0, 8)) {
      case 0:
      case 1: {
        const _id = this.#nextId++;
        this.#attempted.add(_id);
        const command = this.#retryable({
          insert: KEPT,
          documents: [{ _id, pad: 'x'.repeat(random.int(0, 200)) }],
          writeConcern,
          $db: 'app',
        });
        return this.#toPrimary(command, (concernHeld) => {
          if (majority && concernHeld) this.#promised.add(_id);
        });
      }
      case 2: {
        const id = random.pick(COUNTER_IDS);
        const counter = this.#increments.get(id)!;
        counter.attempted += 1;
        const command = this.#retryable({
          update: COUNTERS,
          updates: [{ q: { _id: id }, u: { $inc: { n: 1 } } }],
          writeConcern,
          $db: 'app',
        });
        return this.#toPrimary(command, (concernHeld) => {
          if (majority && concernHeld) counter.promised += 1;
        });
      }
      case 3:
      case 4: {
        const at = new Date(this.#set.epochMs + this.#set.nowMicros / 1000 - random.int(0, 60_000));
        const documents = Array.from({ length: random.int(1, 40) }, () => ({ _id: this.#nextId++, at, n: 0 }));
        return this.#toPrimary({ insert: EXPIRING, documents, writeConcern, $db: 'app' }, () => {});
      }
      case 5: {
        const updates = [{ q: { _id: { $lt: random.int(0, this.#nextId + 1) } }, u: { $inc: { n: 1 } }, multi: true }];
        return this.#toPrimary({ update: EXPIRING, updates, writeConcern, $db: 'app' }, () => {});
      }
      case 6: {
        const deletes = [{ q: { _id: { $gte: random.int(0, this.#nextId + 1) } }, limit: random.int(0, 2) }];
        return this.#toPrimary({ delete: EXPIRING, deletes, writeConcern, $db: 'app' }, () => {});
      }
      default: {
        const command = { find: random.pick([KEPT, COUNTERS, EXPIRING]), limit: 5, ...random.pick(READS), $db: 'app' };
        this.#set.send(random.pick(this.#set.memberNames), encodeDocument(command));
      }
    }
  }

  /** Looks at what has been answered since, and retries once what a driver would. */
  collect(): void {
    const waiting: Sent[] = [];
    const answered = this.#sent.filter((sent) => sent.pending.reply !== undefined || !waiting.push(sent));
    this.#sent = waiting;
    for (const sent of answered) this.#judge(sent);
  }

  /** Commands that are not answered yet. */
  get underWay(): number {
    return this.#sent.length;
  }

  #judge({ command, pending, retried, acknowledged }: Sent): void {
    const reply = decodePromoted(pending.reply!) as {
      ok: number;
      code?: number;
      errorLabels?: string[];
      writeErrors?: unknown;
      writeConcernError?: unknown;
    };
    if (reply.ok === 1 && !reply.writeErrors) {
      acknowledged(reply.writeConcernError === undefined);
      return;
    }
    this.#tally.add('write error');
    const again = reply.errorLabels?.includes('RetryableWriteError') || reply.code === 6;
    if (again && !retried && command.txnNumber !== undefined) {
      this.#tally.add('write retried');
      this.#toPrimary(command, acknowledged, true);
    }
  }

  #retryable(command: Doc): Doc {
    if (this.#random.chance(0.3)) return command;
    return { ...command, lsid: this.#session, txnNumber: BigInt(this.#nextTxnNumber++) };
  }

  #toPrimary(command: Doc, acknowledged: (concernHeld: boolean) => void, retried = false): void {
    const primaries = this.primaries();
    const target = primaries.length > 0 ? this.#random.pick(primaries) : this.#random.pick(this.#set.memberNames);
    this.#sent.push({ command, pending: this.#set.send(target, encodeDocument(command)), retried, acknowledged });
  }

  /** What a member has lost or doubled of what clients were promised; undefined if it keeps every promise. */
  brokenPromise(member: string): string | undefined {
    const read = { $readPreference: { mode: 'secondaryPreferred' }, $db: 'app' };
    const kept = this.ask(member, { find: KEPT, batchSize: 1_000_000, projection: { _id: 1 }, ...read });
    const ids = new Set((kept.cursor as { firstBatch: { _id: number }[] }).firstBatch.map(({ _id }) => _id));
    for (const id of this.#promised)
      if (!ids.has(id)) return `${KEPT} _id ${id} was acknowledged by a majority and is gone`;
    for (const id of ids) if (!this.#attempted.has(id)) return `${KEPT} _id ${id} was never written`;
    const counters = this.ask(member, { find: COUNTERS, ...read });
    for (const { _id, n } of (counters.cursor as { firstBatch: { _id: string; n: number }[] }).firstBatch) {
      const { attempted, promised } = this.#increments.get(_id)!;
      if (n < promised) return `counter ${_id} is ${n}, and ${promised} increments were acknowledged by a majority`;
      if (n > attempted)
        return `counter ${_id} is ${n}, and only ${attempted} increments were tried: some were done twice`;
    }
    return undefined;
  }
}

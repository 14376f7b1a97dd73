import { encodeDocument } from '@replsim/protocol';
import { runWaiting, type Waiting } from '@replsim/scenario';
import { Binary, type Timestamp } from 'bson';
import { bulkyStatements, statementsBeside } from './besides.ts';
import { ACCOUNT_IDS, ACCOUNTS, type Account, LEDGER, type Ledger, START, type Transfer } from './books.ts';
import type { Caller, Doc, Reply } from './caller.ts';
import type { Tally } from './tally.ts';

const SECOND = 1_000_000;
const MAX_COMMITS = 6;
const MAJORITY = { w: 'majority', wtimeout: 10_000 };
const CONCERNS: readonly (Doc | undefined)[] = [undefined, { w: 1 }, MAJORITY, MAJORITY, { w: 2, wtimeout: 3000 }];
/** A statement that fails so has given its transaction up: no commit may follow. */
const GIVES_UP: ReadonlySet<number> = new Set([24, 112, 11000]);
const NO_SUCH_TRANSACTION = 251;
const READ = { $readPreference: { mode: 'secondaryPreferred' }, maxTimeMS: 8000, $db: 'app' };

/** What the statements of a transaction came to. */
type Result = 'done' | 'failed' | 'givenUp';

/**
 * One session whose client moves money by transactions, as a driver would let it: it begins, reads, writes what follows from what
 * it read, ends or forgets to, asks again where it does not know what became of a commit, and looks at the books now and then.
 */
export class Teller {
  readonly #caller: Caller;
  readonly #ledger: Ledger;
  readonly #tally: Tally;
  readonly #large: boolean;
  readonly lsid: Doc;
  #txnNumber = 0n;
  #starts = false;
  #seenTime: Timestamp | undefined;
  #stopped = false;
  atWork = true;

  /** @param large whether some transactions are so large that their entries travel one by one */
  constructor(caller: Caller, ledger: Ledger, tally: Tally, large: boolean) {
    this.#caller = caller;
    this.#large = large;
    this.#ledger = ledger;
    this.#tally = tally;
    this.lsid = { id: new Binary(caller.random.bytes(16), Binary.SUBTYPE_UUID) };
    runWaiting(this.#work(), () => {
      this.atWork = false;
    });
  }

  /** Ends what it is at, and begins nothing more. */
  stop(): void {
    this.#stopped = true;
  }

  *#work(): Waiting<void> {
    const { random } = this.#caller;
    while (!this.#stopped) {
      yield* this.#caller.pause(random.int(0, random.pick([1, 5]) * SECOND));
      const act = random.int(0, 10);
      if (act < 6) yield* this.#transfer();
      else if (act < 8) yield* this.#touch();
      else if (act < 9) yield* this.#auditInTransaction();
      else yield* this.#audit();
    }
  }

  // --- a transfer ---

  *#transfer(): Waiting<void> {
    const { random } = this.#caller;
    const [from, to] = random.shuffle(ACCOUNT_IDS) as [string, string];
    const first = this.#begin();
    const transfer = {
      _id: `${this.#ledger.nameOf(this.lsid)} ${this.#txnNumber}`,
      from,
      to,
      amount: random.int(1, 9),
    };
    this.#ledger.begun(transfer);
    const result = yield* this.#move(transfer, first);
    if (random.chance(0.06)) {
      this.#tally.add('transaction: left open');
      yield* this.#caller.pause(random.int(0, 20 * SECOND));
      return;
    }
    if (result === 'done' && !random.chance(0.12)) return yield* this.#commit(transfer);
    if (result === 'givenUp' && random.chance(0.2)) return yield* this.#commitInVain(transfer);
    yield* this.#abort();
  }

  *#move(transfer: Transfer, first: Doc): Waiting<Result> {
    const { random } = this.#caller;
    const { from, to, amount } = transfer;
    const found = yield* this.#statement({ find: ACCOUNTS, filter: { _id: { $in: [from, to] } } }, first);
    if (found.ok !== 1) return resultOf(found);
    const accounts = firstBatch<Account>(found);
    const bulky = this.#large && random.chance(0.15);
    const statements = [
      this.#put(from, -amount, accounts),
      this.#put(to, amount, accounts),
      { insert: LEDGER, documents: [transfer] },
      ...(bulky ? bulkyStatements(transfer._id) : []),
    ];
    for (const statement of random.shuffle([...statements, ...statementsBeside(random, transfer._id)])) {
      if (random.chance(0.5)) yield* this.#caller.pause(random.chance(0.15) ? random.int(0, 4 * SECOND) : 20_000);
      const result = resultOf(yield* this.#statement(statement));
      if (result !== 'done') return result;
    }
    return 'done';
  }

  /** Written from what was read, so that what somebody else wrote in between would be lost. */
  #put(_id: string, by: number, accounts: readonly Account[]): Doc {
    const { balance = START, moves = 0 } = accounts.find((account) => account._id === _id) ?? {};
    const u = { $set: { balance: balance + by, moves: moves + 1 } };
    return { update: ACCOUNTS, updates: [{ q: { _id }, u, upsert: true }] };
  }

  // --- its end ---

  *#commit(transfer: Transfer): Waiting<void> {
    const { random } = this.#caller;
    let sentTo: string | undefined;
    for (let tries = 0; tries < MAX_COMMITS; tries++) {
      const writeConcern = tries === 0 ? random.pick(CONCERNS) : MAJORITY;
      const member = yield* this.#caller.primary();
      if (tries === 0) this.#ledger.mayBe(transfer);
      if (random.chance(0.05)) this.#sendTwice(member);
      const reply = yield* this.#end('commitTransaction', member, writeConcern);
      if (reply.ok === 1 && !reply.writeConcernError) {
        this.#tally.add('transaction: committed');
        if (tries > 0) this.#tally.add('transaction: in doubt, and committed');
        if (sentTo !== undefined && sentTo !== member)
          this.#tally.add('transaction: commit confirmed by another primary');
        if (writeConcern?.w === 'majority') this.#ledger.isThere(transfer);
        return;
      }
      if (isCertainlyNot(reply) && (tries === 0 || writeConcern?.w === 'majority')) {
        this.#tally.add(tries === 0 ? 'transaction: commit refused' : 'transaction: in doubt, and not committed');
        this.#ledger.isNot(transfer);
        return;
      }
      this.#tally.add('transaction: in doubt');
      sentTo ??= member;
      if (random.chance(0.15)) return;
      yield* this.#caller.pause(random.int(0, 3 * SECOND));
    }
  }

  /** The network doubles what it was in doubt about; nobody waits for the answer. */
  #sendTwice(member: string): void {
    if (!this.#caller.set.status(member).running) return;
    const { lsid } = this;
    const commit = { commitTransaction: 1, lsid, txnNumber: this.#txnNumber, autocommit: false, $db: 'admin' };
    this.#caller.set.send(member, encodeDocument(commit));
  }

  /** A client that does not look at what its statements came to. */
  *#commitInVain({ _id }: Transfer): Waiting<void> {
    const reply = yield* this.#end('commitTransaction', yield* this.#caller.primary(), MAJORITY);
    if (reply.ok === 1) throw new Error(`the transaction of ${_id} is committed, and one of its statements had failed`);
  }

  *#abort(): Waiting<void> {
    const reply = yield* this.#end('abortTransaction', yield* this.#caller.primary(), undefined);
    if (reply.ok === 1) this.#tally.add('transaction: aborted');
  }

  *#end(command: 'commitTransaction' | 'abortTransaction', member: string, writeConcern: Doc | undefined) {
    const sent = { [command]: 1, ...this.#fields(), ...(writeConcern && { writeConcern }), $db: 'admin' };
    return yield* this.#call(member, sent);
  }

  // --- the books ---

  /** All that is read at one time fits together, on whichever members. */
  *#audit(): Waiting<void> {
    const { random, set } = this.#caller;
    const member = random.pick(set.memberNames);
    const accounts = yield* this.#readAll(member, { find: ACCOUNTS, readConcern: { level: 'snapshot' }, ...READ });
    const at = accounts?.at;
    if (!accounts || !at) return;
    const other = random.chance(0.5) ? member : random.pick(set.memberNames);
    const readConcern = { level: 'snapshot', atClusterTime: at };
    const ledger = yield* this.#readAll(other, { find: LEDGER, batchSize: random.int(1, 9), readConcern, ...READ });
    if (!ledger) return;
    this.#tally.add(other === member ? 'snapshot read' : 'snapshot read on two members');
    this.#ledger.check(accounts.documents, ledger.documents, `at one time on ${member} and ${other}`);
  }

  *#auditInTransaction(): Waiting<void> {
    const { random } = this.#caller;
    let fields = this.#begin();
    const read: unknown[][] = [];
    for (const collection of [ACCOUNTS, LEDGER]) {
      const member = yield* this.#caller.primary();
      const command = { find: collection, batchSize: random.int(1, 9), $db: 'app' };
      const all = yield* this.#readAll(member, command, () => ({ ...this.#fields(), ...taken() }));
      if (!all) return yield* this.#abort();
      read.push(all.documents);
      yield* this.#caller.pause(random.int(0, SECOND));
    }
    this.#tally.add('transaction: books read');
    this.#ledger.check(
      read[0] as Account[],
      read[1] as Transfer[],
      `by ${this.#ledger.nameOf(this.lsid)} in a transaction`,
    );
    yield* this.#end('commitTransaction', yield* this.#caller.primary(), random.pick(CONCERNS));

    /** The first statement says more than the others. */
    function taken(): Doc {
      const said = fields;
      fields = {};
      return said;
    }
  }

  *#readAll(member: string, command: Doc, fields: () => Doc = () => ({})) {
    let reply = yield* this.#call(member, { ...command, ...fields() });
    const documents: unknown[] = [];
    const at = cursorOf(reply)?.atClusterTime;
    for (;;) {
      const cursor = cursorOf(reply);
      if (reply.ok !== 1 || !cursor) return undefined;
      documents.push(...(cursor.firstBatch ?? cursor.nextBatch ?? []));
      if (cursor.id === 0) return { documents: documents as never[], at };
      const getMore = {
        getMore: BigInt(cursor.id),
        collection: command.find,
        batchSize: command.batchSize,
        $db: 'app',
      };
      reply = yield* this.#call(member, { ...getMore, ...fields() });
    }
  }

  // --- words ---

  /** A write beside transactions, on documents that they write: as a retryable write of this session, or of nobody's. */
  *#touch(): Waiting<void> {
    const { random } = this.#caller;
    const q = { _id: random.pick(ACCOUNT_IDS) };
    const update = { update: ACCOUNTS, updates: [{ q, u: { $inc: { touched: 1 } } }], maxTimeMS: 4000, $db: 'app' };
    const retryable = random.chance(0.5) ? { lsid: this.lsid, txnNumber: ++this.#txnNumber } : {};
    const reply = yield* this.#call(yield* this.#caller.primary(), { ...update, ...retryable });
    if (reply.ok === 1 && !reply.writeErrors) this.#tally.add('write beside transactions');
  }

  /** @returns what the first statement says besides */
  #begin(): Doc {
    const { random } = this.#caller;
    this.#txnNumber += 1n;
    this.#starts = true;
    const level = random.pick(['local', 'majority', 'snapshot', 'snapshot']);
    const time = this.#seenTime;
    if (!time || random.chance(0.7)) return random.chance(0.5) ? {} : { readConcern: { level } };
    if (level === 'snapshot' && random.chance(0.5)) return { readConcern: { level, atClusterTime: time } };
    return { readConcern: { level, afterClusterTime: time } };
  }

  #fields(): Doc {
    const first = this.#starts && { startTransaction: true };
    this.#starts = false;
    return { lsid: this.lsid, txnNumber: this.#txnNumber, autocommit: false, ...first };
  }

  *#statement(command: Doc, more: Doc = {}): Waiting<Reply> {
    const member = yield* this.#caller.primary();
    return yield* this.#call(member, { ...command, ...more, ...this.#fields(), $db: 'app' });
  }

  *#call(member: string, command: Doc): Waiting<Reply> {
    const reply = yield* this.#caller.call(member, command);
    const { operationTime } = reply;
    if (operationTime) this.#seenTime = operationTime as Timestamp;
    this.#count(reply);
    return reply;
  }

  #count({ ok, code, writeErrors }: Reply): void {
    const met = ok === 1 ? writeErrors?.[0]?.code : code;
    const name = met !== undefined && COUNTED.get(met);
    if (name) this.#tally.add(name);
  }
}

const COUNTED: ReadonlyMap<number, string> = new Map([
  [24, 'transaction: lock timeout'],
  [112, 'transaction: conflict'],
  [225, 'transaction: number too old'],
  [290, 'transaction: expired in a statement'],
  [11601, 'transaction: interrupted'],
  [246, 'snapshot unavailable'],
  [239, 'snapshot too old'],
]);

function resultOf({ ok, code, writeErrors }: Reply): Result {
  const met = writeErrors?.[0]?.code ?? (ok === 1 ? undefined : (code ?? 1));
  if (met === undefined) return 'done';
  return GIVES_UP.has(met) ? 'givenUp' : 'failed';
}

/** Nothing of the transaction is there, and will be: no majority can have it. */
function isCertainlyNot({ code, errorLabels, writeConcernError }: Reply): boolean {
  if (writeConcernError || !errorLabels?.includes('TransientTransactionError')) return false;
  return code === NO_SUCH_TRANSACTION || code === 112;
}

interface CursorReply {
  readonly id: number;
  readonly firstBatch?: readonly unknown[];
  readonly nextBatch?: readonly unknown[];
  readonly atClusterTime?: Timestamp;
}

function cursorOf(reply: Reply): CursorReply | undefined {
  return reply.cursor as CursorReply | undefined;
}

function firstBatch<T>(reply: Reply): readonly T[] {
  return (cursorOf(reply)?.firstBatch ?? []) as T[];
}

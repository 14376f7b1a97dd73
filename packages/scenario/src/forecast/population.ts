import { BsonWriter, ErrorCodes, encodeDocument, RawBson, required } from '@replsim/protocol';
import type { PendingReply, ReplicaSetApi } from '@replsim/replset';
import { Column } from '../lateness/column.ts';
import { endingOf } from '../stage/answers.ts';
import type { Members } from '../stage/members.ts';
import type { Forecast } from './forecast.ts';

export const DATABASE = 'app';
export const COLLECTION = 'documents';
/** What the index is called. */
export const TTL_INDEX = 'ttl';
const LARGEST_COMMAND = 16_000_000;

/** How long a document looks for a primary. Upstream: drivers' serverSelectionTimeoutMS. */
const PATIENCE_MICROS = 30_000_000;

/**
 * Whether all documents of a batch are there, as its write concern asks. Of one that was tried again they may have been there already; and where the
 * write concern was missed nobody may count on them, so that it is tried again as well.
 */
export function isTaken(reply: Uint8Array): boolean {
  return endingOf(reply).errors.every(({ where, code }) => where === 'write' && code === ErrorCodes.DuplicateKey);
}

/** Documents that go to the set in one command. */
interface Batch {
  readonly firstId: number;
  /** When each came, µs from the start; that is its date. */
  readonly instants: readonly number[];
}

/**
 * The documents of a forecast: makes them, sends them, and knows which have been taken. As a driver's would, an insert
 * without a primary, or whose primary goes away, is tried again for half a minute.
 */
export class Population {
  readonly #set: ReplicaSetApi;
  readonly #members: Members;
  readonly #forecast: Forecast;
  /** When the forecast begins, on the run's clock. */
  readonly #startMicros: number;
  readonly #padding: string;
  #waiting: Batch[] = [];
  readonly #sent: { readonly pending: PendingReply; readonly batch: Batch }[] = [];
  /** When those that were taken expire, µs from the start, in order but for what was tried again. */
  readonly #expiries = new Column();
  #expired = 0;
  #nextId = 1;
  /** Simulated documents that nobody took. */
  lost = 0;

  constructor(set: ReplicaSetApi, members: Members, forecast: Forecast, startMicros: number) {
    this.#set = set;
    this.#members = members;
    this.#forecast = forecast;
    this.#startMicros = startMicros;
    this.#padding = '';
    this.#padding = 'x'.repeat(Math.max(forecast.documentBytes - this.#document(0, 0).length, 0));
  }

  /** Documents with these dates are to be inserted. */
  add(instants: readonly number[]): void {
    const most = Math.min(1000, Math.max(1, Math.floor(LARGEST_COMMAND / this.#forecast.documentBytes)));
    for (let from = 0; from < instants.length; from += most) {
      const some = instants.slice(from, from + most);
      this.#waiting.push({ firstId: this.#nextId, instants: some });
      this.#nextId += some.length;
    }
  }

  /** Sends what waits to whoever is primary. @param w how many members are to have it */
  send(w: number): void {
    this.#collect();
    const primary = this.#members.primary();
    if (primary === undefined) return this.#giveUp();
    for (const batch of this.#waiting.splice(0)) {
      const documents = batch.instants.map((instant, i) => new RawBson(this.#document(batch.firstId + i, instant)));
      const command = { insert: COLLECTION, documents, ordered: false, writeConcern: { w }, $db: DATABASE };
      this.#sent.push({ pending: this.#set.send(primary, encodeDocument(command)), batch });
    }
  }

  /** Whether all that was sent has been answered. */
  get settled(): boolean {
    return this.#sent.every(({ pending }) => pending.reply !== undefined);
  }

  #collect(): void {
    for (let sent = this.#sent[0]; sent?.pending.reply !== undefined; sent = this.#sent[0]) {
      this.#sent.shift();
      const { batch } = sent;
      if (!isTaken(sent.pending.reply)) this.#waiting.push(batch);
      else for (const instant of batch.instants) this.#expiries.push(instant + this.#livesMicros);
    }
  }

  #giveUp(): void {
    const oldest = this.#set.nowMicros - this.#startMicros - PATIENCE_MICROS;
    this.#waiting = this.#waiting.filter(({ instants }) => {
      const isLost = required(instants.at(-1), 'document in a batch') < oldest;
      if (isLost) this.lost += instants.length;
      return !isLost;
    });
  }

  get #livesMicros(): number {
    return this.#forecast.expireAfterSeconds * 1_000_000;
  }

  /** Simulated documents that the set has acknowledged. */
  get taken(): number {
    this.#collect();
    return this.#expiries.length;
  }

  /** Of the simulated documents that were taken, how many have not expired by now. @param atMicros since the start */
  notExpired(atMicros: number): number {
    this.#collect();
    while (this.#expired < this.#expiries.length && this.#expiries.at(this.#expired) <= atMicros) this.#expired++;
    return this.#expiries.length - this.#expired;
  }

  #document(id: number, instant: number): Uint8Array {
    const writer = new BsonWriter(this.#forecast.documentBytes + 64);
    writer.int32('_id', id);
    writer.date('at', this.#set.epochMs + Math.floor((this.#startMicros + instant) / 1000));
    for (let i = 1; i <= this.#forecast.indexes; i++) writer.int32(`f${i}`, id);
    writer.string('padding', this.#padding);
    return writer.finish();
  }
}

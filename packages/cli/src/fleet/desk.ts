import { createHash, randomUUID } from 'node:crypto';
import {
  type AnyQuestion,
  aboutOf,
  canonical,
  difference,
  essenceOf,
  type QueuedQuestion,
  queuedQuestionShape,
} from '@replsim/explore';
import type { Redis } from 'ioredis';
import { InputError } from '../io.ts';

/** As long as somebody waits, this is renewed; what nobody waits for is gone so much later. */
const LEASE_SECS = 120;
/** What was left running stays for a week. */
const DETACHED_SECS = 7 * 24 * 3600;

/** What two that ask the same have in common, whatever their files are called. */
export function questionId(question: AnyQuestion): string {
  return createHash('sha256')
    .update(canonical(essenceOf(question)))
    .digest('hex');
}

/** What lies beside a queue: the question that it is about, once, and who waits for the answer. */
export class Desk {
  readonly #redis: Redis;
  readonly #questionKey: string;
  readonly #askersKey: string;
  readonly #me = randomUUID();

  constructor(redis: Redis, name: string) {
    this.#redis = redis;
    this.#questionKey = `replsim:${name}:question`;
    this.#askersKey = `replsim:${name}:askers`;
  }

  /** The question that there is. @throws InputError if something else lies there */
  async read(): Promise<QueuedQuestion | undefined> {
    const text = await this.#text();
    if (text === null) return undefined;
    const read = queuedQuestionShape.safeParse(parsed(text));
    if (read.success) return read.data;
    throw new InputError(
      `the queue is about something that this release does not understand; replsim queue cancel clears it, or use another --queue-name`,
    );
  }

  /** @throws InputError if the key is in use for something else */
  async #text(): Promise<string | null> {
    try {
      return await this.#redis.get(this.#questionKey);
    } catch (error) {
      if (!(error as Error).message.startsWith('WRONGTYPE')) throw error;
      throw new InputError(`${this.#questionKey} in this database is not a queue of replsim; use another --queue-name`);
    }
  }

  /**
   * Asks, or joins who asks the same.
   * @returns whether it was not asked before, and whether it goes on when nobody waits @throws InputError if the queue is busy with something else
   */
  async ask(queued: QueuedQuestion): Promise<{ readonly isNew: boolean; readonly isDetached: boolean }> {
    await this.renew(queued.isDetached);
    const seconds = queued.isDetached ? DETACHED_SECS : LEASE_SECS;
    const isNew = await this.#redis.set(this.#questionKey, JSON.stringify(queued), 'EX', seconds, 'NX');
    if (isNew === 'OK') return { isNew: true, isDetached: queued.isDetached };
    let other: QueuedQuestion | undefined;
    try {
      other = await this.read();
    } catch (error) {
      await this.#redis.zrem(this.#askersKey, this.#me);
      throw error;
    }
    // It came to its end in between.
    if (other === undefined) return this.ask(queued);
    const what = difference(other.question, queued.question);
    if (what === undefined) return { isNew: false, isDetached: other.isDetached };
    await this.#redis.zrem(this.#askersKey, this.#me);
    throw new InputError(
      `the queue is busy with ${aboutOf(other.question)}, and the two have different ${what}: wait for it, cancel it with replsim queue cancel, or use another --queue-name`,
    );
  }

  /** Says that somebody still waits. */
  async renew(isDetached: boolean): Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    await this.#redis.zadd(this.#askersKey, now, this.#me);
    await this.#redis.zremrangebyscore(this.#askersKey, 0, now - LEASE_SECS);
    await this.#redis.expire(this.#askersKey, LEASE_SECS);
    if (!isDetached) await this.#redis.expire(this.#questionKey, LEASE_SECS);
  }

  /** @returns whether nobody waits any more */
  async leave(): Promise<boolean> {
    await this.#redis.zrem(this.#askersKey, this.#me);
    return (await this.#redis.zcard(this.#askersKey)) === 0;
  }

  async askers(): Promise<number> {
    return this.#redis.zcard(this.#askersKey);
  }

  /** @returns whether there was a question */
  async clear(): Promise<boolean> {
    await this.#redis.del(this.#askersKey);
    return (await this.#redis.del(this.#questionKey)) > 0;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

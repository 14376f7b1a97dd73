import { type AnyQuestion, type Progress, type Range, type Task, taskReplyShape } from '@replsim/explore';
import type { Queue } from 'bullmq';
import { InputError, type Io } from '../io.ts';
import { type Address, shownAddress } from './address.ts';
import { Desk, questionId } from './desk.ts';
import type { Gathering } from './gathering.ts';
import { bullmqConnection, PREFIX, taskQueueName } from './queueNames.ts';
import { connected, type Fleet, loadFleet } from './redis.ts';

export interface AskOptions {
  readonly address: Address;
  /** Of the queue. */
  readonly name: string;
  /** How many runs a worker takes at a time. */
  readonly rangeSize: number;
  /** Leave it running. */
  readonly isDetached: boolean;
  readonly isOver: () => boolean;
  readonly onProgress?: (progress: Progress) => void;
}

/** So many ranges lie ready, for workers to take without waiting. */
const READY = 1000;
/** How often whoever waits looks for what no event has told of, and says that it still waits. */
const LOOK_MS = 2000;

/**
 * Has workers play what is asked.
 * @param begin what is known at the beginning: it is called when the server is there
 * @returns what it has come to; undefined if it was left running
 * @throws InputError ExploreError
 */
export async function ask<Result>(
  question: AnyQuestion,
  begin: () => Promise<Gathering<Result>>,
  options: AskOptions,
  io: Io,
): Promise<Result | undefined> {
  const { address, name, isDetached } = options;
  const fleet = await loadFleet();
  const redis = await connected(address, fleet);
  const queue = new fleet.Queue(taskQueueName(name), { connection: bullmqConnection(address), prefix: PREFIX });
  queue.on('error', () => {});
  try {
    const gathering = await begin();
    if (gathering.isDone) return gathering.result();
    const { to: of } = gathering.range;
    if (isDetached && of > MOST_DETACHED)
      throw new InputError('--detach needs a number of runs that fits in a queue: ask for fewer, as with --runs');
    const desk = new Desk(redis, name);
    const asked = await desk.ask({ question, of, isDetached });
    if (asked.isNew) await emptied(queue);
    else io.err(`joined: somebody has asked the same in the queue "${name}"\n`);
    if ((await queue.getWorkersCount()) === 0)
      io.err(`no worker is there yet; start some: replsim worker --queue ${shownAddress(address)}\n`);
    const collector = new Collector(questionId(question), gathering, queue, options);
    if (isDetached) {
      await collector.leaveAll(desk);
      return undefined;
    }
    return await collector.collect(desk, asked.isDetached, fleet, io);
  } finally {
    await queue.close();
    redis.disconnect();
  }
}

const MOST_DETACHED = 10_000_000;

/** Queues ranges, and takes the replies, each once, whoever gives it, however often. */
class Collector<Result> {
  readonly #id: string;
  readonly #gathering: Gathering<Result>;
  readonly #queue: Queue;
  readonly #options: AskOptions;
  readonly #waiting = new Map<string, Range>();
  #next: number;
  #looked = 0;
  #failed: Error | undefined;
  #isWoken = false;
  #wake: () => void = () => {};

  constructor(id: string, gathering: Gathering<Result>, queue: Queue, options: AskOptions) {
    this.#id = id;
    this.#gathering = gathering;
    this.#next = gathering.range.from;
    this.#queue = queue;
    this.#options = options;
  }

  /** Queues all, and stays for nothing. */
  async leaveAll(desk: Desk): Promise<void> {
    while (this.#next < this.#gathering.range.to) await this.#fill();
    await desk.leave();
  }

  /** @param isKept whether it goes on when nobody waits any more @returns undefined if it was left so */
  async collect(desk: Desk, isKept: boolean, { QueueEvents }: Fleet, io: Io): Promise<Result | undefined> {
    const { address, name, isOver } = this.#options;
    const events = new QueueEvents(taskQueueName(name), {
      connection: bullmqConnection(address),
      prefix: PREFIX,
      blockingTimeout: LOOK_MS,
    });
    let isAway = false;
    const onLost = () => {
      if (!isAway) io.err(`the connection to ${shownAddress(address)} is lost; trying again\n`);
      isAway = true;
    };
    events.on('error', onLost);
    // A server that is back before the first new attempt is no error.
    events.on('ioredis:close', onLost);
    events.on('completed', ({ jobId, returnvalue }) => this.#take(jobId, returnvalue));
    events.on('failed', ({ jobId, failedReason }) => this.#fail(jobId, failedReason));
    try {
      await events.waitUntilReady();
      while (!this.#gathering.isDone && !isOver()) {
        await this.#fill();
        await this.#lookForMissed(desk, isKept);
        await this.#somethingOr(LOOK_MS);
        if (this.#failed) throw this.#failed;
      }
      if (isKept && !this.#gathering.isDone) return undefined;
      return this.#gathering.result();
    } finally {
      await events.close();
      const isLast = await desk.leave();
      if (isLast && (this.#gathering.isDone || !isKept)) await clear(desk, this.#queue);
    }
  }

  /** Adds ranges, as far as they are wanted already; one that lies there is not added again. */
  async #fill(): Promise<void> {
    const { rangeSize, isDetached } = this.#options;
    const { to: of } = this.#gathering.range;
    const added: [string, Range][] = [];
    while (this.#next < of && added.length < READY && (isDetached || this.#waiting.size < READY)) {
      const range = { from: this.#next, to: Math.min(this.#next + rangeSize, of) };
      this.#next = range.to;
      const id = `${this.#id.slice(0, 12)}-${range.from}-${range.to}`;
      this.#waiting.set(id, range);
      added.push([id, range]);
    }
    await this.#add(added);
  }

  async #add(ranges: readonly (readonly [string, Range])[]): Promise<void> {
    if (ranges.length === 0) return;
    await this.#queue.addBulk(
      ranges.map(([jobId, { from, to }]) => ({
        name: 'runs',
        data: { question: this.#id, from, to } satisfies Task,
        opts: { jobId },
      })),
    );
  }

  /** What happened while nobody was told: before this process joined, or while the server was away. */
  async #lookForMissed(desk: Desk, isKept: boolean): Promise<void> {
    if (Date.now() - this.#looked < LOOK_MS) return;
    this.#looked = Date.now();
    await desk.renew(isKept);
    for (const job of await this.#queue.getJobs(['completed', 'failed'], 0, READY)) {
      if (job?.id === undefined) continue;
      if (job.finishedOn !== undefined && job.failedReason) this.#fail(job.id, job.failedReason);
      else this.#take(job.id, job.returnvalue);
    }
    // A server may have lost them in a restart.
    await this.#add([...this.#waiting].slice(0, READY));
  }

  #take(jobId: string, value: unknown): void {
    const range = this.#waiting.get(jobId);
    if (range === undefined) return;
    const reply = taskReplyShape.safeParse(typeof value === 'string' ? parsed(value) : value);
    if (!reply.success) return this.#failWith(range, 'a worker gave an answer that none of this release gives');
    if ('refused' in reply.data) return this.#failWith(range, reply.data.refused);
    const wrong = this.#gathering.take(reply.data, range);
    if (wrong !== undefined) return this.#failWith(range, wrong);
    this.#waiting.delete(jobId);
    this.#options.onProgress?.(this.#gathering.progress);
    // Other askers of this question have received the answer, too.
    this.#queue.remove(jobId).catch(() => {});
    this.#woken();
  }

  #fail(jobId: string, reason: string): void {
    const range = this.#waiting.get(jobId);
    if (range !== undefined) this.#failWith(range, reason);
  }

  #failWith({ from, to }: Range, reason: string): void {
    this.#failed ??= new InputError(`runs ${from + 1} to ${to} could not be played by a worker: ${reason}`);
    this.#woken();
  }

  #woken(): void {
    this.#isWoken = true;
    this.#wake();
  }

  async #somethingOr(ms: number): Promise<void> {
    if (!this.#isWoken)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#isWoken = false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Takes away all that a queue holds, and what lies beside it; of two at once, one does. */
export async function clear(desk: Desk, queue: Queue): Promise<void> {
  if (await desk.clear()) await emptied(queue);
}

export async function emptied(queue: Queue): Promise<void> {
  try {
    await queue.obliterate({ force: true });
  } catch (error) {
    // Somebody else empties it at this moment, and has opened it again before this was through.
    if (!(error as Error).message.includes('non-paused')) throw error;
  }
}

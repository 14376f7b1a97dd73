import {
  type AnyQuestion,
  answerOf,
  baseOf,
  ExploreError,
  explore,
  exploring,
  type MeasureQuestion,
  measureRange,
  type Question,
  type Range,
  seedCount,
  type Task,
  type TaskReply,
  type Trial,
  taskShape,
} from '@replsim/explore';
import type { Worker } from 'bullmq';
import { InputError, type Io } from '../io.ts';
import { Crew } from '../playing/crew.ts';
import { VERSION } from '../version.ts';
import { type Address, shownAddress } from './address.ts';
import { Desk, questionId } from './desk.ts';
import { bullmqConnection, PREFIX, taskQueueName } from './queueNames.ts';
import { connected, loadFleet } from './redis.ts';

export interface WorkOptions {
  readonly address: Address;
  readonly name: string;
  readonly jobs?: number;
}

/** Who is not heard of for so long has died, and others take its range. */
const LOCK_MS = 15_000;
const LOOK_MS = 5000;
/** A range that has ended so many workers is not given to another. */
const MOST_DEATHS = 3;

/** Takes ranges from a queue and plays them, in child processes, until it is stopped. */
export async function work({ address, name, jobs }: WorkOptions, io: Io): Promise<void> {
  const { processes } = io;
  if (processes === undefined)
    throw new InputError('replsim worker: the caller of this command line has not set Io.processes');
  const fleet = await loadFleet();
  const redis = await connected(address, fleet);
  const desk = new Desk(redis, name);
  await refuseOtherRelease(desk);
  const atOnce = jobs ?? processes.atOnce;
  const crew = new Crew({ ...processes, atOnce });
  const bench = new Bench(desk, crew, io);
  const worker = new fleet.Worker<unknown, TaskReply>(
    taskQueueName(name),
    async ({ data }): Promise<TaskReply> => {
      const task = taskShape.safeParse(data);
      if (!task.success) throw new fleet.UnrecoverableError('this is not a range of runs');
      const reply = await bench.reply(task.data);
      if (reply === undefined) throw new fleet.UnrecoverableError('nobody asks this any more');
      return reply;
    },
    {
      connection: bullmqConnection(address),
      prefix: PREFIX,
      concurrency: atOnce,
      lockDuration: LOCK_MS,
      stalledInterval: LOOK_MS,
      maxStalledCount: MOST_DEATHS,
    },
  );
  try {
    await untilOver(worker, desk, shownAddress(address), atOnce, io);
  } finally {
    await worker.close();
    crew.end();
    redis.disconnect();
  }
}

/** @throws InputError where the queue is about runs that this release would play otherwise */
async function refuseOtherRelease(desk: Desk): Promise<void> {
  const queued = await desk.read();
  if (queued !== undefined && queued.question.replsim !== VERSION)
    throw new InputError(
      `the queue is for workers of replsim ${queued.question.replsim}, and this is ${VERSION}, whose runs are others: install replsim ${queued.question.replsim} from its tarball`,
    );
}

/** Resolves when somebody asks for the end; rejects when the queue is for another release. */
function untilOver(
  worker: Worker<unknown, TaskReply>,
  desk: Desk,
  where: string,
  atOnce: number,
  io: Io,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isAway = false;
    worker.on('ready', () => {
      io.err(`${isAway ? 'connected again to' : 'waiting for runs from'} ${where}, ${atOnce} at once\n`);
      isAway = false;
    });
    worker.on('active', ({ data }) => {
      const task = taskShape.safeParse(data);
      if (task.success) io.err(`playing runs ${task.data.from + 1} to ${task.data.to}\n`);
    });
    const onLost = () => {
      if (!isAway) io.err(`the connection to ${where} is lost; trying again\n`);
      isAway = true;
    };
    worker.on('error', (error) => {
      // Of a range that was taken from this worker, or is not wanted any more.
      if (!/job|lock/i.test(error.message)) onLost();
    });
    // A server that is back before the first new attempt is no error.
    worker.on('ioredis:close', onLost);
    const timer = setInterval(() => refuseOtherRelease(desk).catch(end), LOOK_MS);
    const end = (error?: unknown) => {
      clearInterval(timer);
      if (error === undefined) resolve();
      else reject(error);
    };
    io.onInterrupt?.(() => end());
  });
}

/** Plays ranges of one question after the other, and remembers of it what all ranges need. */
class Bench {
  readonly #desk: Desk;
  readonly #crew: Crew;
  readonly #io: Pick<Io, 'err'>;
  #id = '';
  #question: Promise<AnyQuestion | undefined> = Promise.resolve(undefined);
  #base: Promise<Trial> | undefined;

  constructor(desk: Desk, crew: Crew, io: Pick<Io, 'err'>) {
    this.#desk = desk;
    this.#crew = crew;
    this.#io = io;
  }

  /** @returns undefined if nobody asks this any more */
  async reply({ question: id, from, to }: Task): Promise<TaskReply | undefined> {
    if (id !== this.#id) {
      this.#id = id;
      this.#base = undefined;
      this.#question = this.#ask(id);
    }
    const question = await this.#question;
    if (question === undefined) {
      this.#id = '';
      return undefined;
    }
    return question.kind === 'measure'
      ? this.#measured(question, { from, to })
      : this.#explored(question, { from, to });
  }

  async #measured(question: MeasureQuestion, { from, to }: Range): Promise<TaskReply> {
    const count = seedCount(question);
    const part = { from: Math.min(from, count), to: Math.min(to, count) };
    const play = (input: Parameters<Crew['measure']>[0]) => this.#crew.measure(input, this.#io);
    return { measured: await measureRange(question, part, { play }) };
  }

  async #explored(question: Question, { from, to }: Range): Promise<TaskReply> {
    const play = (input: Parameters<Crew['try']>[0]) => this.#crew.try(input, this.#io);
    try {
      this.#base ??= baseOf(question.text, { ...exploring(question), play });
      const base = await this.#base;
      const part = (count: number) => ({ from: Math.min(from, count), to: Math.min(to, count) });
      const explored = await explore(question.text, { ...exploring(question), play, base, part });
      return { answer: answerOf(explored, { from, to }) };
    } catch (error) {
      if (error instanceof ExploreError) return { refused: error.message };
      throw error;
    }
  }

  async #ask(id: string): Promise<AnyQuestion | undefined> {
    const queued = await this.#desk.read();
    if (queued === undefined || queued.question.replsim !== VERSION) return undefined;
    return questionId(queued.question) === id ? queued.question : undefined;
  }
}

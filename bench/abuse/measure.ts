import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, type Document, MongoClient, MongoServerError } from 'mongodb';
import { FIXTURES } from './fixtures.ts';
import type { FromServer, Measured, ToServer } from './measured.ts';
import type { Row } from './row.ts';

const DB = 'app';
/** A row that takes longer is given up, and its set with it. Unit: ms. */
const GIVEN_UP_MS = 20_000;
/** How long a set may take then to say what it has measured. Unit: ms. */
const LAST_WORD_MS = 5000;
/** The driver's own patience: a held set is what is measured, and no reason to look for another member. Unit: ms. */
const PATIENCE_MS = 300_000;
/** Others copy what a row wrote: that belongs to it. Unit: ms. */
const AFTERWARDS_MS = 300;
const SHOWN_ERROR = 60;

/** A set in a process of its own, and the collections that it has so far. */
interface Server {
  readonly child: ChildProcess;
  readonly client: MongoClient;
  readonly db: Db;
  readonly loopMs: number;
  readonly fixtures: Set<string>;
}

/** How the program `server` is started. */
export interface Program {
  readonly file: string;
  readonly execArgv: readonly string[];
}

/** Measures rows one after the other on one set; a row that is given up costs it, and the next has a new one. */
export async function* measured(rows: readonly Row[], program: Program): AsyncGenerator<Measured> {
  let server: Server | undefined;
  try {
    for (const row of rows) {
      server ??= await start(program);
      const result = await measureRow(row, server);
      yield result;
      if (!result.isGivenUp) continue;
      await stop(server);
      server = undefined;
    }
  } finally {
    if (server) await stop(server);
  }
}

async function start({ file, execArgv }: Program): Promise<Server> {
  const child = fork(file, { execArgv: [...execArgv] });
  const ready = await answerOf(child, 'ready');
  const client = await MongoClient.connect(ready.uri, {
    directConnection: true,
    maxPoolSize: 20,
    connectTimeoutMS: PATIENCE_MS,
    heartbeatFrequencyMS: PATIENCE_MS,
    serverMonitoringMode: 'poll',
  });
  return { child, client, db: client.db(DB), loopMs: ready.loopMs, fixtures: new Set() };
}

async function stop({ child, client }: Server): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  await client.close();
}

type Answer<T> = Extract<FromServer, { type: T }>;

async function answerOf<T extends FromServer['type']>(child: ChildProcess, type: T): Promise<Answer<T>> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [FromServer];
    if (message.type === type) return message as Answer<T>;
  }
}

function ask<T extends FromServer['type']>({ child }: Server, message: ToServer, type: T): Promise<Answer<T>> {
  const answer = answerOf(child, type);
  child.send(message);
  return answer;
}

async function measureRow(row: Row, server: Server): Promise<Measured> {
  const { db } = server;
  for (const name of row.fixtures ?? []) await addFixture(name, server);
  await row.prepare?.(db);
  const given = row.commands(db);
  const commands: readonly Document[] = Array.isArray(given) ? given : [given];
  await sleep(AFTERWARDS_MS);
  await ask(server, 'begin', 'begun');
  const begun = performance.now();
  const givenUp = sleep(GIVEN_UP_MS, GIVEN_UP, { ref: false });
  const ran = await Promise.race([run(row, commands, server), givenUp]);
  const wallSeconds = (performance.now() - begun) / 1000;
  const isGivenUp = ran === GIVEN_UP;
  if (!isGivenUp) await sleep(AFTERWARDS_MS);
  const noWord = sleep(isGivenUp ? LAST_WORD_MS : PATIENCE_MS, undefined, { ref: false });
  const ended = await Promise.race([ask(server, 'end', 'ended'), noWord]);
  const cpuMs = ended?.cpuMs ?? Number.POSITIVE_INFINITY;
  const longest = ended?.longest ?? { cpuMs: Number.POSITIVE_INFINITY, wallMs: performance.now() - begun };
  return {
    name: row.name,
    cpuSeconds: cpuMs / 1000,
    wallSeconds,
    pingMs: longest.wallMs,
    pingCpuMs: longest.cpuMs,
    pingLoops: longest.cpuMs / server.loopMs,
    isGivenUp,
    ...(ran !== undefined && { error: ran }),
  };
}

const GIVEN_UP = 'given up';

async function addFixture(name: string, { db, fixtures }: Server): Promise<void> {
  if (fixtures.has(name)) return;
  const fill = FIXTURES[name];
  if (fill === undefined) throw new Error(`no fixture is named ${name}: see FIXTURES in bench/abuse/fixtures.ts`);
  await fill(db);
  fixtures.add(name);
}

/** @returns the first error that there was */
async function run(row: Row, commands: readonly Document[], { client }: Server): Promise<string | undefined> {
  const db = client.db(row.onAdmin ? 'admin' : DB);
  const one = async (command: Document): Promise<string | undefined> => {
    try {
      // As they are: what the driver would check is for the set to refuse.
      await db.command(command);
      return undefined;
    } catch (error) {
      if (!(error instanceof MongoServerError)) return `${error}`.slice(0, SHOWN_ERROR);
      return `${error.code} ${error.message}`.slice(0, SHOWN_ERROR);
    }
  };
  if (row.atOnce) return (await Promise.all(commands.map(one))).find((error) => error !== undefined);
  let first: string | undefined;
  for (const command of commands) first ??= await one(command);
  return first;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ServedSet } from '@replsim/server';
import { MongoClient } from 'mongodb';
import type { Figure } from './measure.ts';
import { costFigure, sideBySide } from './sideBySide.ts';

const STREAMS = 1000;
const INSERTS = 400;
/** As long as a driver may ask for, so that the streams are idle in truth. */
const HOUR_MS = 3_600_000;

/** What a thousand change streams on another collection add to an insert. Those who wait on them are another process. */
export async function idleStreams(): Promise<Figure> {
  const none = await side('no streams', 0);
  const idle = await side('idle', STREAMS);
  const costs = await sideBySide([none, idle], { rounds: 40, warmUps: 10, settleMs: 20 });
  for (const { end } of [none, idle]) await end();
  return costFigure(`insertOne, ${STREAMS} idle change streams`, costs, 1.05);
}

async function side(name: string, streams: number) {
  const served = await ServedSet.start();
  const client = new MongoClient(served.uri);
  const collection = client.db('app').collection('c');
  await collection.insertOne({ x: 1 });
  const watching = await watch(served.uri, streams);
  const work = async () => {
    for (let x = 0; x < INSERTS; x++) await collection.insertOne({ x }, { writeConcern: { w: 1 } });
  };
  const end = async () => {
    await watching();
    await client.close();
    await served.stop();
  };
  return { name, times: INSERTS, work, end };
}

/** @returns how to end it */
async function watch(uri: string, count: number): Promise<() => Promise<void>> {
  if (count === 0) return async () => {};
  const program = fileURLToPath(new URL('openStreams.js', import.meta.url));
  const child = spawn(process.execPath, [program, uri, String(count), String(HOUR_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const said = await new Promise((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve('nothing'));
  });
  if (said !== 'watching') throw new Error(`those who watch said ${said}`);
  return async () => {
    const gone = once(child, 'exit');
    child.kill();
    await gone;
  };
}

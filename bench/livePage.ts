import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { main } from '@replsim/cli';
import { type Collection, MongoClient } from 'mongodb';
import { type Figure, median } from './measure.ts';

const ROUNDS = 30;
const WARM_UPS = 6;
const INSERTS = 500;
const BATCH = 2000;
/** The page gets what happened a little later, which is to count for the set that it looks at. Unit: ms. */
const SETTLE_MS = 150;

const SIDES = ['without', 'nobody looks', 'a page looks'] as const;
type Side = (typeof SIDES)[number];

/** What `serve --studio` adds to a served insert, in CPU time: three sets side by side, in turns; whoever looks is another process. */
export async function livePage(): Promise<readonly Figure[]> {
  return [
    await compare('insertOne by the driver', INSERTS, async (collection) => {
      for (let i = 0; i < INSERTS; i++) await collection.insertOne({ x: i }, { writeConcern: { w: 1 } });
    }),
    await compare(`a document of insertMany, ${BATCH} each`, BATCH, async (collection) => {
      await collection.insertMany(Array.from({ length: BATCH }, (_, x) => ({ x, s: 'some text' })));
    }),
  ];
}

async function compare(
  name: string,
  documents: number,
  work: (collection: Collection) => Promise<void>,
): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'replsim-bench-'));
  writeFileSync(join(folder, 'index.html'), '<html><head></head></html>');
  const sides = await Promise.all(SIDES.map((side) => start(side, folder)));
  const micros = SIDES.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (let i = 0; i < SIDES.length; i++) {
      const at = (round + i) % SIDES.length;
      const before = process.cpuUsage();
      await work(sides[at]!.collection);
      await after(SETTLE_MS);
      const { user, system } = process.cpuUsage(before);
      if (round >= WARM_UPS) micros[at]!.push((user + system) / documents);
    }
  for (const { end } of sides) await end();
  rmSync(folder, { recursive: true });
  const [none = 0, alone = 0, seen = 0] = micros.map(median);
  const over = (at: number) => median(micros[at]!.map((each, i) => each / micros[0]![i]!));
  return {
    name: `studio, ${name}`,
    value: seen,
    unit: 'µs of CPU where a page looks',
    better: 'less',
    floor: { name: 'without', value: none },
    ratio: over(2),
    aimRatio: 1.1,
    also: [`nobody looks ${alone.toFixed(1)}, ratio ${over(1).toFixed(2)}`],
  };
}

async function start(side: Side, folder: string): Promise<{ collection: Collection; end: () => Promise<void> }> {
  const { said, interrupt } = await serve(folder, side === 'without' ? [] : ['--studio', '0']);
  const [uri = '', address = ''] = [/mongodb:\/\/\S+/, /http:\/\/[^\s,]+/].map((pattern) => pattern.exec(said)?.[0]);
  const onlooker = side === 'a page looks' ? await looking(address) : undefined;
  const client = new MongoClient(uri);
  const collection = client.db('app').collection('c');
  await collection.insertOne({ x: 1 });
  const end = async () => {
    await client.close();
    onlooker?.kill();
    await interrupt();
  };
  return { collection, end };
}

/** @returns what it has said by the time that it is ready, and Ctrl-C */
function serve(folder: string, args: readonly string[]): Promise<{ said: string; interrupt: () => Promise<number> }> {
  return new Promise((resolve, reject) => {
    let said = '';
    let stop = () => {};
    const ended = main(['serve', '--port', '0', '--quiet', '--no-invariants', ...args], {
      out: (text) => {
        said += text;
        if (text.startsWith('ready'))
          resolve({
            said,
            interrupt: () => {
              stop();
              return ended;
            },
          });
      },
      err: () => {},
      colours: false,
      progress: false,
      studioPage: pathToFileURL(`${folder}/`),
      onInterrupt: (interrupt) => {
        stop = interrupt;
      },
    });
    ended.then((code) => reject(new Error(`serve ended with ${code}`)), reject);
  });
}

/** Reads all that there is to read, and does nothing with it. */
async function looking(address: string): Promise<ChildProcess> {
  const program = `fetch(${JSON.stringify(`${address}live`)}).then(async ({ body }) => { console.log('reads'); for await (const _ of body); })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child;
}

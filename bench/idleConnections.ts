import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ServedSet } from '@replsim/server';
import { CannedServer } from './cannedServer.ts';
import type { Figure } from './measure.ts';

const CONNECTIONS = 1000;
const MiB = 1024 * 1024;
const AIM_MIB = 100;

/** What a thousand connections cost that have said hello and nothing since; their other ends are in another process. */
export async function idleConnections(): Promise<Figure> {
  const canned = await growthMiB(await CannedServer.start());
  const served = await growthMiB(await ServedSet.start());
  return {
    name: `${CONNECTIONS} idle connections`,
    value: served,
    unit: 'MiB',
    better: 'less',
    floor: { name: 'sockets of Node, answers ready', value: canned },
    aim: AIM_MIB,
  };
}

async function growthMiB(server: { readonly uri: string; stop(): Promise<void> }): Promise<number> {
  const before = residentBytes();
  const child = spawn(process.execPath, [
    fileURLToPath(new URL('connectMany.js', import.meta.url)),
    portOf(server.uri),
    String(CONNECTIONS),
  ]);
  const lines = createInterface({ input: child.stdout });
  const said = await new Promise((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve('nothing'));
  });
  if (said !== 'connected') throw new Error(`the clients said ${said}`);
  const grown = (residentBytes() - before) / MiB;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await gone;
  await server.stop();
  return grown;
}

function portOf(uri: string): string {
  return /:(\d+)/.exec(uri)![1]!;
}

/** Needs `--expose-gc`. */
function residentBytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().rss;
}

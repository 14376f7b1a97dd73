import { fileURLToPath } from 'node:url';
import { measured } from './abuse/measure.ts';
import type { Measured } from './abuse/measured.ts';
import { TABLE } from './abuse/table.ts';
import type { Figure } from './measure.ts';

const program = { file: fileURLToPath(new URL('abuse/server.js', import.meta.url)), execArgv: [] };

/** What one client can do to others: the longest ping beside each row of the table. */
export async function abuse(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for await (const each of measured(TABLE, program)) figures.push(figureOf(each));
  return figures;
}

/** The ratio is of CPU time, which other programs do not lengthen. */
function figureOf({ name, cpuSeconds, wallSeconds, pingMs, pingLoops, error }: Measured): Figure {
  return {
    name,
    value: pingMs,
    unit: 'ms for the longest ping',
    better: 'less',
    aim: 250,
    ratio: pingLoops,
    also: [
      `CPU ${cpuSeconds.toFixed(2)} s`,
      `wall ${wallSeconds.toFixed(2)} s`,
      ...(error === undefined ? [] : [error]),
    ],
  };
}

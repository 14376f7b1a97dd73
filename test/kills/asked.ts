import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export type Asked = Readonly<Record<'kills' | 'seed' | 'jobs', number>>;

const DEFAULTS = { kills: 100, seed: 1, jobs: 2 * availableParallelism() };
const USAGE = 'npm run kills -- [--kills 100] [--seed 1] [--jobs 4]';

/** @returns what is wrong with the command line, in a line, or what it asks for */
export function askedBy(args: readonly string[]): Asked | string {
  const option = { type: 'string' } as const;
  try {
    const { values } = parseArgs({ args: [...args], options: { kills: option, seed: option, jobs: option } });
    const numbers = {
      ...DEFAULTS,
      ...Object.fromEntries(Object.entries(values).map(([name, n]) => [name, Number(n)])),
    };
    const wrong = Object.entries(numbers).find(([, n]) => !Number.isInteger(n) || n < 1);
    return wrong ? `--${wrong[0]} takes a whole number above 0: ${USAGE}` : numbers;
  } catch (error) {
    return `${error instanceof Error ? error.message : error}: ${USAGE}`;
  }
}

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { againstRevision } from './against.ts';
import { ALL_GROUPS, GROUPS } from './groups.ts';
import { type Figure, line, median, ratioOf, shown } from './measure.ts';

// Figures are ratios to a floor of the same run where there is one. They never fail a build.

const RESULTS = new URL('../results.json', import.meta.url);

const show = (text: string) => process.stdout.write(`${text}\n`);

/** A figure as often as it was measured. */
type Series = readonly [Figure, ...Figure[]];

async function main(): Promise<void> {
  const options = readArguments();
  if (options.against !== undefined) return againstRevision(options.against, options.names, options.times);
  const figures: Series[] = [];
  for (const name of options.names) {
    const measured = await timesOver(name, options.times);
    for (const each of measured) if (!options.json) show(seriesLine(each));
    figures.push(...measured);
  }
  const results = figures.map(summed);
  if (options.json) show(JSON.stringify(results));
  else writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
}

async function timesOver(name: string, times: number): Promise<readonly Series[]> {
  const rounds: Figure[][] = [];
  for (let i = 0; i < times; i++) {
    const figures: Figure[] = [];
    for (const measure of GROUPS[name]!.figures) figures.push(...[await measure()].flat());
    rounds.push(figures);
  }
  return rounds[0]!.map((first, at) => [first, ...rounds.slice(1).map((figures) => figures[at]!)]);
}

/** The one in the middle speaks for all. */
function middleOf(series: Series): Figure {
  const value = median(series.map((each) => each.value));
  return series.find((each) => each.value === value)!;
}

function spreadOf(series: Series): readonly [number, number] {
  const values = series.map(({ value }) => value);
  return [Math.min(...values), Math.max(...values)];
}

function seriesLine(series: Series): string {
  const text = line(middleOf(series));
  return series.length === 1 ? text : `${text}; ${series.length} times, ${spreadOf(series).map(shown).join(' to ')}`;
}

function summed(series: Series): object {
  const figure = middleOf(series);
  const [least, most] = spreadOf(series);
  return { ...figure, ratio: ratioOf(figure), times: series.length, least, most };
}

interface Asked {
  readonly names: readonly string[];
  readonly times: number;
  readonly against: string | undefined;
  readonly json: boolean;
}

/** Ends the process where they cannot be read. */
function readArguments(): Asked {
  try {
    const { values, positionals } = parseArgs({
      options: { times: { type: 'string', default: '1' }, against: { type: 'string' }, json: { type: 'boolean' } },
      allowPositionals: true,
    });
    const times = Number(values.times);
    if (!Number.isInteger(times) || times < 1)
      throw new RangeError(`--times ${values.times}: a whole number from 1 on`);
    const unknown = positionals.filter((name) => !Object.hasOwn(GROUPS, name));
    if (unknown.length > 0) throw new RangeError(`nothing is called ${unknown.join(', ')}`);
    const names = positionals.length > 0 ? positionals : ALL_GROUPS;
    return { names, times, against: values.against, json: values.json ?? false };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage()}\n`);
    process.exit(2);
  }
}

function usage(): string {
  return [
    'npm run bench -- [NAME …] [--times N] [--against REVISION]',
    '',
    ...Object.entries(GROUPS).map(([name, { what }]) => `  ${name.padEnd(14)} ${what}`),
  ].join('\n');
}

await main();
// What figures leave behind, such as sockets of a driver, does not keep the process.
process.exit();

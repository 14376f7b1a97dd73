import { resolve } from 'node:path';
import { shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import type { Loaded } from '../loaded.ts';
import { type MeasureCommandOptions, measureArms, oneOf } from './measure.ts';

export interface CompareOptions extends MeasureCommandOptions {
  /** One run of each, in words. */
  readonly seed?: number;
}

/** What belongs to many runs. */
const OF_MANY = [
  ...(['seeds', 'time', 'jobs', 'csv', 'html', 'force', 'json'] as const),
  ...(['shard', 'report', 'queue', 'queueName', 'range', 'detach'] as const),
] as const;

/** `replsim compare`: two scenarios under the same seeds, or one run of each side by side. */
export async function compareCommand(
  paths: readonly [string, string],
  options: CompareOptions,
  io: Io,
): Promise<number> {
  const [a, b] = paths;
  if (resolve(a) === resolve(b))
    throw new InputError(`${a} is named twice; name two scenarios, or use "variants:" and replsim measure`);
  const both = [await oneOf(a, io), await oneOf(b, io)] as const;
  const { seed } = options;
  if (seed !== undefined) return compareRun(both, seed, options, io);
  const arms = both.map(({ path, text }) => ({ name: shown(path), text, file: shown(path) }));
  return measureArms(`${shown(a)} and ${shown(b)}`, arms, options, io);
}

async function compareRun(
  both: readonly [Loaded, Loaded],
  seed: number,
  options: CompareOptions,
  io: Io,
): Promise<number> {
  const other = OF_MANY.find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw new InputError(`--seed shows one run of each scenario: leave out --${other.replace('N', '-n')}`);
  const { playScenario } = await import('@replsim/scenario');
  const { ReplSet } = await import('@replsim/replset');
  const { Story, sideBySide } = await import('../measuring/sideBySide.ts');
  const played = both.map(async ({ scenario, path }) => {
    const story = new Story();
    const { failure } = await playScenario(scenario, (setup) => ReplSet.create(setup), {
      seed,
      playsOn: true,
      onTrace: (event) => story.observe(event),
    });
    story.end();
    return { story, verdict: `${shown(path)}: ${failure ? failure.title : 'every check held'}` };
  });
  const [one, two] = (await Promise.all(played)) as [Awaited<(typeof played)[0]>, Awaited<(typeof played)[0]>];
  const names = [shown(both[0].path), shown(both[1].path)] as const;
  io.out(sideBySide(names, one.story, two.story) ?? `with seed ${seed} the same comes about in both sets\n`);
  io.out(`\n${one.verdict}\n${two.verdict}\n`);
  return ExitCodes.ok;
}

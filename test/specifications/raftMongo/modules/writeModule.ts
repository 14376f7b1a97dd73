import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { BehaviourReader } from './behaviour.ts';
import { tlaModule } from './module.ts';

/** A run that was written as a module. */
export interface WrittenModule {
  /** Of the module and, with `.tla` and `.cfg`, of its files: letters, digits and underscores, as TLA+ asks for. */
  readonly name: string;
  readonly steps: number;
  /** Why the module ends before the run does, or holds nothing. */
  readonly note?: string;
}

/**
 * Plays a scenario and writes its run as a module over RaftMongo, and beside it the configuration that tells TLC what to check.
 * @param folder gets both files
 * @throws Error when the file is no scenario, or its run fails
 */
export async function writeModule(file: string, folder: string): Promise<WrittenModule> {
  const name = `Run_${basename(file)
    .replace(/\.ya?ml$/, '')
    .replaceAll(/\W/g, '_')}`;
  const scenario = parseScenario(readFileSync(file, 'utf8'), file);
  const reader = new BehaviourReader();
  const { ok, failure } = await playScenario(scenario, (options) => ReplSet.create(options), {
    onTrace: (event) => reader.observe(event),
  });
  if (!ok) throw new Error(`the run fails: ${failure?.asked ?? 'an invariant broke'}`);
  const behaviour = reader.end();
  const { tla, cfg } = tlaModule(name, `${scenario.name}, seed ${scenario.seed}`, behaviour);
  writeFileSync(join(folder, `${name}.tla`), tla);
  writeFileSync(join(folder, `${name}.cfg`), cfg);
  const { until, steps } = behaviour;
  if (until !== undefined)
    return { name, steps: steps.length, note: `it ends at ${(until.atMicros / 1e6).toFixed(3)}s: ${until.why}` };
  return steps.length > 0
    ? { name, steps: steps.length }
    : { name, steps: 0, note: 'it holds no step: nobody was elected' };
}

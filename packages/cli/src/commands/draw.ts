import { closeSync, existsSync, statSync, writeSync } from 'node:fs';
import { formatInstantExactly } from '@replsim/kernel';
import type { TraceEvent } from '@replsim/protocol';
import type { ReplSetOptions } from '@replsim/replset';
import { openToWrite, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { readScenario } from '../scenarioText.ts';

export interface DrawOptions {
  /** Unit: µs, of all three. */
  readonly at?: number;
  readonly from?: number;
  readonly to?: number;
  readonly format: 'svg' | 'mermaid';
  readonly out?: string;
  readonly force?: boolean;
  readonly seed?: number;
  readonly variant?: string;
}

/** `replsim draw`: plays a scenario, and draws an instant of it or a stretch. */
export async function drawCommand(path: string, options: DrawOptions, io: Io): Promise<number> {
  if (io.drawings === undefined) throw new InputError('the caller of this command line has not set Io.drawings');
  checkAsked(options);
  if (!existsSync(path)) throw new InputError(`${path}: no such file; replsim list shows which there are`);
  if (statSync(path).isDirectory()) throw new InputError(`${path}: this is a folder; name one scenario file in it`);
  const { events, endMicros } = await played(path, options);
  const { at, from, to, format, out, force } = options;
  for (const [name, micros] of Object.entries({ at, from, to }))
    if (micros !== undefined && micros > endMicros)
      throw new InputError(
        `--${name}: the run is over at ${formatInstantExactly(endMicros)}; name an instant before that`,
      );
  const drawings = (await io.drawings())(events);
  const refusal = at === undefined ? drawings.refusal(from ?? 0, to ?? endMicros) : undefined;
  if (refusal !== undefined) throw new InputError(refusal);
  const picture = at === undefined ? drawings.stretch(from ?? 0, to ?? endMicros, format) : drawings.instant(at);
  if (out === undefined) io.out(picture);
  else {
    const file = openToWrite(out, 'picture', force ?? false);
    writeSync(file, picture);
    closeSync(file);
  }
  return ExitCodes.ok;
}

/** @throws InputError if it is neither an instant nor a stretch */
function checkAsked({ at, from, to, format }: DrawOptions): void {
  const isStretch = from !== undefined || to !== undefined;
  if (at === undefined && !isStretch)
    throw new InputError('say what to draw: --at 12s for an instant, or --from 20s --to 22s for a sequence diagram');
  if (at !== undefined && isStretch)
    throw new InputError('--at draws one instant, and --from and --to draw a stretch: leave out the one or the others');
  if (at !== undefined && format === 'mermaid')
    throw new InputError('--format mermaid is for a stretch: use --from and --to instead of --at, or --format svg');
  if (from !== undefined && to !== undefined && from >= to)
    throw new InputError(
      `--from must be before --to; got ${formatInstantExactly(from)} and ${formatInstantExactly(to)}`,
    );
}

async function played(path: string, { seed, variant }: DrawOptions) {
  const { InvalidScenario, parseScenario, playScenario, variantOf } = await import('@replsim/scenario');
  const { ReplSet } = await import('@replsim/replset');
  const events: TraceEvent[] = [];
  try {
    const written = parseScenario(readScenario(path), shown(path));
    const scenario = variant === undefined ? written : variantOf(written, variant);
    // Without causes a trace has no messages.
    const create = (setup: ReplSetOptions) => ReplSet.create({ ...setup, causes: true });
    const { virtualMicros } = await playScenario(scenario, create, {
      seed: seed ?? scenario.seed,
      onTrace: (event) => events.push(event),
    });
    return { events, endMicros: virtualMicros };
  } catch (error) {
    if (error instanceof InvalidScenario) throw new InputError(error.message);
    throw error;
  }
}

import { existsSync, statSync } from 'node:fs';
import { CommandError } from '@replsim/protocol';
import { Chalk } from 'chalk';
import { readText, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';

export interface ForecastCommandOptions {
  readonly json?: boolean;
  readonly seed?: number;
  /** How many documents to simulate at most. */
  readonly documents?: number;
}

/** `replsim forecast`: runs what a file describes, and shows how late and how big it gets. */
export async function forecastCommand(path: string, options: ForecastCommandOptions, io: Io): Promise<number> {
  if (!existsSync(path) || statSync(path).isDirectory()) throw new InputError(`${path}: no such file`);
  const { InvalidScenario, parseForecast, runForecast } = await import('@replsim/scenario');
  const { ReplSet } = await import('@replsim/replset');
  const { Checkers } = await import('@replsim/checker');
  const { forecastText, LATENCY_BY } = await import('../forecast/forecastText.ts');
  try {
    const forecast = parseForecast(readText(path), shown(path));
    for (const warning of forecast.warnings) io.err(`warning: ${warning}\n`);
    const checkers = new Checkers();
    const result = await runForecast(forecast, (setup) => ReplSet.create(setup), {
      observers: [(event) => checkers.observe(event)],
      ...(options.seed !== undefined && { seed: options.seed }),
      ...(options.documents !== undefined && { budget: options.documents }),
      ...(io.progress && { onProgress: (part: number) => showProgress(part, io) }),
    });
    if (io.progress) io.err('\r\x1b[K');
    const text = options.json
      ? `${JSON.stringify({ version: 1, file: shown(path), ...result, notForecast: { latency: LATENCY_BY } }, undefined, 2)}\n`
      : forecastText(result, new Chalk({ level: io.colours ? 1 : 0 }));
    io.out(text);
    for (const { name, detail } of result.brokenInvariants) io.err(`invariant ${name}: ${detail}\n`);
    return result.brokenInvariants.length === 0 ? ExitCodes.ok : ExitCodes.failed;
  } catch (error) {
    if (error instanceof InvalidScenario) throw new InputError(error.message);
    // What a mongod refuses stands in the file: a parameter out of its bounds, more work than there is time for.
    if (error instanceof CommandError) throw new InputError(`${shown(path)}: ${error.codeName}: ${error.message}`);
    throw error;
  }
}

function showProgress(part: number, io: Io): void {
  io.err(`\r\x1b[K${Math.floor(100 * part)}%`);
}

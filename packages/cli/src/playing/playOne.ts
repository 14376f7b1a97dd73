import { join } from 'node:path';
import type { TraceEvent } from '@replsim/protocol';
import type { Scenario } from '@replsim/scenario';
import { shown } from '../files.ts';
import { diskFailure, InputError, type Io } from '../io.ts';
import { MemberLogs } from '../memberLogs.ts';
import { pacer } from '../pace.ts';
import type { Outcome } from '../reporters/reporter.ts';

/** One run of one scenario. */
export interface Turn {
  readonly path: string;
  readonly seed: number;
  /** The folder for its members' logs. */
  readonly logs?: string;
}

/** What is asked of every run. */
export interface Asked {
  /** Virtual seconds a second of the wall clock. */
  readonly speed?: number;
  readonly ttlReport: boolean;
  /** The trace also says what came of what. */
  readonly causes?: boolean;
}

/** Who watches a run as it comes about. */
export interface Watchers {
  readonly line?: ((text: string) => void) | undefined;
  readonly event?: ((event: TraceEvent) => void) | undefined;
}

/** Plays a scenario, with all invariants watching. What only a bug of ours can throw is thrown on, after the seed is said. */
export async function playOne(
  scenario: Scenario,
  { path, seed, logs: logFolder }: Turn,
  { speed, ttlReport, causes = false }: Asked,
  io: Pick<Io, 'err'>,
  watchers: Watchers = {},
): Promise<Outcome> {
  const { playScenario, Transcript } = await import('@replsim/scenario');
  const { ReplSet } = await import('@replsim/replset');
  const { allCheckers, Checkers } = await import('@replsim/checker');
  const repeat = `replsim run ${quoted(shown(path))} --seed ${seed}`;
  const invariants = allCheckers();
  const checkers = new Checkers(invariants);
  const transcript = new Transcript();
  const logs = logFolder === undefined ? undefined : new MemberLogs(logFolder);
  const lines: string[] = [];
  let events = 0;
  const take = (more: readonly string[]): void => {
    for (const line of more) {
      lines.push(line);
      watchers.line?.(line);
    }
  };
  const began = performance.now();
  try {
    const result = await playScenario(scenario, (setup) => ReplSet.create({ ...setup, causes }), {
      seed,
      observers: [(event) => checkers.observe(event)],
      ttlReport,
      ...(speed !== undefined && { pace: pacer(speed) }),
      onTrace: (event: TraceEvent) => {
        events += 1;
        watchers.event?.(event);
        logs?.observe(event);
        take(transcript.observe(event));
      },
    });
    take(transcript.end());
    const { failure } = result;
    return {
      path: shown(path),
      name: scenario.name,
      ok: failure === undefined,
      seed,
      steps: result.steps,
      invariants: invariants.length,
      events,
      virtualMs: result.virtualMicros / 1000,
      wallMs: performance.now() - began,
      transcript: lines,
      workloads: result.workloads,
      ...(result.ttl && { ttl: result.ttl }),
      ...(failure && { failure }),
      repeat,
    };
  } catch (error) {
    // A bug of ours: whoever reports it needs the seed.
    if (!(error instanceof InputError) && diskFailure(error) === undefined)
      io.err(`this is a bug of replsim; repeat with: ${repeat}\n`);
    throw error;
  } finally {
    logs?.close();
  }
}

/** Several scenarios name their members alike, so each has a folder after its own file. */
export function logFolder(folder: string, path: string): string {
  return join(folder, shown(path).replace(/\.ya?ml$/, ''));
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

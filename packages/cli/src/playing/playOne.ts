import { join } from 'node:path';
import type { TraceEvent } from '@replsim/protocol';
import type { Scenario } from '@replsim/scenario';
import { shown } from '../files.ts';
import { diskFailure, ExitCodes, InputError, type Io, isReaderGone } from '../io.ts';
import type { Mistaken } from '../loaded.ts';
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

/**
 * Plays a scenario, with all invariants watching. What only a bug of ours can throw is its outcome, after all is said that helps to find it:
 * the others are played nevertheless.
 */
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
  const repeat = repeatOf(path, seed);
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
  let atMicros = 0;
  const began = performance.now();
  const about = () => ({
    path: shown(path),
    name: scenario.name,
    seed,
    invariants: invariants.length,
    events,
    wallMs: performance.now() - began,
    transcript: lines,
    repeat,
  });
  try {
    const result = await playScenario(scenario, (setup) => ReplSet.create({ ...setup, causes }), {
      seed,
      observers: [(event) => checkers.observe(event)],
      ttlReport,
      ...(speed !== undefined && { pace: pacer(speed) }),
      onTrace: (event: TraceEvent) => {
        events += 1;
        atMicros = event.atMicros;
        watchers.event?.(event);
        logs?.observe(event);
        take(transcript.observe(event));
      },
    });
    take(transcript.end());
    const { failure } = result;
    return {
      ...about(),
      ok: failure === undefined,
      steps: result.steps,
      virtualMs: result.virtualMicros / 1000,
      workloads: result.workloads,
      ...(result.ttl && { ttl: result.ttl }),
      ...(failure && { failure }),
    };
  } catch (error) {
    if (error instanceof InputError || diskFailure(error) !== undefined || isReaderGone(error)) throw error;
    // A bug of ours: whoever reports it needs the seed.
    io.err(`this is a bug of replsim; repeat with: ${repeat}\n${error instanceof Error ? error.stack : error}\n`);
    const bug = bugOutcome({ ...scenario, path, seed }, error);
    return { ...bug, ...about(), virtualMs: atMicros / 1000 };
  } finally {
    logs?.close();
  }
}

/** What comes of a run that ends in an exception. */
export function bugOutcome({ path, name, seed }: Turn & Pick<Scenario, 'name'>, error: unknown): Outcome {
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    ...NOTHING,
    path: shown(path),
    name,
    seed,
    error: 'bug',
    failure: { title: 'this is a bug of replsim: the run came to no end', detail, line: 1 },
    repeat: repeatOf(path, seed),
  };
}

/** What comes of a file that cannot be played, or not even be read. @param seed the one that it would be played with */
export function unplayed({ path, mistakes, line, code }: Mistaken, seed: number): Outcome {
  const isBug = code === ExitCodes.bug;
  return {
    ...NOTHING,
    path: shown(path),
    name: shown(path),
    seed,
    error: isBug ? 'bug' : 'mistakes',
    failure: {
      title: isBug ? 'this is a bug of replsim: it cannot read the file' : 'the file has mistakes and is not run',
      detail: mistakes,
      line,
    },
    repeat: `replsim check ${quoted(shown(path))}`,
  };
}

/** Of what was not played. */
const NOTHING = {
  ok: false,
  steps: 0,
  invariants: 0,
  events: 0,
  virtualMs: 0,
  wallMs: 0,
  transcript: [],
  workloads: [],
} as const;

function repeatOf(path: string, seed: number): string {
  return `replsim run ${quoted(shown(path))} --seed ${seed}`;
}

/** Several scenarios name their members alike, so each has a folder after its own file. */
export function logFolder(folder: string, path: string): string {
  return join(folder, shown(path).replace(/\.ya?ml$/, ''));
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

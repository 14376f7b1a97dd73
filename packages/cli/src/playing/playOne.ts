import { join } from 'node:path';
import type { TraceEvent } from '@replsim/protocol';
import type { PlayResult, Scenario, ToldLine, Transcript } from '@replsim/scenario';
import { quoted, shown } from '../files.ts';
import { diskFailure, ExitCodes, InputError, type Io, isReaderGone } from '../io.ts';
import type { Mistaken } from '../loaded.ts';
import { MemberLogs } from '../memberLogs.ts';
import { pacer } from '../pace.ts';
import type { Outcome } from '../reporters/reporter.ts';
import { isShown, type TranscriptChoice } from './shownLines.ts';

/** One run of one scenario. */
export interface Turn {
  readonly path: string;
  readonly seed: number;
  /** Of the scenario; undefined: as it is written. */
  readonly variant?: string;
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
  /** How much of its transcript is shown; undefined: all. */
  readonly transcript?: TranscriptChoice;
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
  turn: Turn,
  { speed, ttlReport, causes = false, transcript }: Asked,
  io: Pick<Io, 'err'>,
  watchers: Watchers = {},
): Promise<Outcome> {
  const { playScenario } = await import('@replsim/scenario');
  const { ReplSet } = await import('@replsim/replset');
  const { allCheckers, Checkers } = await import('@replsim/checker');
  const invariants = allCheckers();
  const checkers = new Checkers(invariants);
  const notes = await Notes.begin({ ...watchers, shows: transcript }, turn.logs);
  const { path, seed } = turn;
  const repeat = repeatOf(turn);
  const about = () => ({
    path: shown(path),
    name: scenario.name,
    seed,
    invariants: invariants.length,
    ...notes.soFar(),
    repeat,
  });
  try {
    const result = await playScenario(scenario, (setup) => ReplSet.create({ ...setup, causes }), {
      seed,
      observers: [(event) => checkers.observe(event)],
      ttlReport,
      ...(speed !== undefined && { pace: pacer(speed) }),
      onTrace: (event: TraceEvent) => notes.take(event),
    });
    notes.end();
    return { ...about(), ...endedAs(result) };
  } catch (error) {
    if (error instanceof InputError || diskFailure(error) !== undefined || isReaderGone(error)) throw error;
    // A bug of ours: whoever reports it needs the seed.
    io.err(`this is a bug in replsim; repeat with: ${repeat}\n${error instanceof Error ? error.stack : error}\n`);
    const bug = bugOutcome({ ...turn, name: scenario.name }, error);
    return { ...bug, ...about(), virtualMs: notes.atMicros / 1000 };
  } finally {
    notes.close();
  }
}

/** Who watches a run, and how much of its transcript they see. */
interface Watching extends Watchers {
  readonly shows: TranscriptChoice | undefined;
}

/** What is kept of a run while it goes on, and told to those who watch it. */
class Notes {
  readonly #transcript: Transcript;
  readonly #watchers: Watching;
  readonly #logs: MemberLogs | undefined;
  readonly #lines: string[] = [];
  /** Those that are shown. */
  readonly #shown: string[] = [];
  readonly #began = performance.now();
  #events = 0;
  #atMicros = 0;

  private constructor(transcript: Transcript, watchers: Watching, logs: MemberLogs | undefined) {
    this.#transcript = transcript;
    this.#watchers = watchers;
    this.#logs = logs;
  }

  static async begin(watchers: Watching, logFolder: string | undefined): Promise<Notes> {
    const { Transcript } = await import('@replsim/scenario');
    return new Notes(new Transcript(), watchers, logFolder === undefined ? undefined : new MemberLogs(logFolder));
  }

  /** Of the last event. */
  get atMicros(): number {
    return this.#atMicros;
  }

  soFar(): Pick<Outcome, 'events' | 'wallMs' | 'transcript' | 'shown'> {
    const wallMs = performance.now() - this.#began;
    const shown = this.#watchers.shows === undefined ? undefined : { shown: this.#shown };
    return { events: this.#events, wallMs, transcript: this.#lines, ...shown };
  }

  take(event: TraceEvent): void {
    this.#events += 1;
    this.#atMicros = event.atMicros;
    this.#watchers.event?.(event);
    this.#logs?.observe(event);
    this.#tell(this.#transcript.tell(event));
  }

  /** Nothing more comes. */
  end(): void {
    this.#tell(this.#transcript.tellEnd());
  }

  close(): void {
    this.#logs?.close();
  }

  #tell(lines: readonly ToldLine[]): void {
    for (const told of lines) {
      const { line } = told;
      this.#lines.push(line);
      if (!isShown(this.#watchers.shows ?? 'all', told)) continue;
      this.#shown.push(line);
      this.#watchers.line?.(line);
    }
  }
}

/** What a run that came to its end says of itself. */
function endedAs({ failure, steps, virtualMicros, workloads, sometimes, challenge, ttl }: PlayResult) {
  return {
    ok: failure === undefined,
    steps,
    virtualMs: virtualMicros / 1000,
    workloads,
    ...(sometimes && { sometimes }),
    ...(challenge && { challenge }),
    ...(ttl && { ttl }),
    ...(failure && { failure }),
  };
}

/** What comes of a run that ends in an exception. */
export function bugOutcome({ name, ...turn }: Turn & Pick<Scenario, 'name'>, error: unknown): Outcome {
  const { path, seed } = turn;
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    ...NOTHING,
    path: shown(path),
    name,
    seed,
    error: 'bug',
    failure: { title: 'this is a bug in replsim: the run did not end', detail, line: 1 },
    repeat: repeatOf(turn),
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
      title: isBug ? 'this is a bug in replsim: it cannot read the file' : 'the file has mistakes and is not run',
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

/** The command that makes the same run again. */
export function repeatOf({ path, seed, variant }: Pick<Turn, 'path' | 'seed' | 'variant'>): string {
  // Behind a space a name that begins with a dash would be taken for another option.
  const which = variant === undefined ? '' : ` --variant${variant.startsWith('-') ? '=' : ' '}${quoted(variant)}`;
  return `replsim run ${quoted(shown(path))}${which} --seed ${seed}`;
}

/** Several scenarios name their members alike, so each has a folder after its own file. */
export function logFolder(folder: string, path: string): string {
  return join(folder, shown(path).replace(/\.ya?ml$/, ''));
}

import { type Checker, Liveness } from '@replsim/checker';
import { type Failure, NO_COVERAGE, type Trial, type TrialInput, tryOut } from '@replsim/explore';
import type { TraceEvent } from '@replsim/protocol';
import { ReplSet, type ReplSetOptions } from '@replsim/replset';
import type { CreateSet } from '@replsim/scenario';
import { Reached } from './reached.ts';
import type { Tally } from './tally.ts';

/** Who else has to do with runs. */
export interface Company {
  /** Called with each event of each run. */
  readonly observe?: (event: TraceEvent) => void;
  /** Who judges the trace: every invariant without it. Called for each run, as a checker remembers its own. */
  readonly invariants?: () => readonly Checker[];
  /** Makes the set, of other members than real ones. */
  readonly create?: (options: ReplSetOptions) => Promise<ReplSet>;
}

/** Plays a text once, as an exploration does, and asks besides whether the set has come to rest: L1 to L7 of the reference. */
export async function judge(input: TrialInput, tally: Tally, company: Company = {}): Promise<Trial> {
  const { observe, invariants, create = (options: ReplSetOptions) => ReplSet.create(options) } = company;
  const rest = new Rest();
  const reached = new Reached(tally);
  const trial = await tried(input, invariants, async (options) => {
    const set = await create(options as ReplSetOptions);
    set.onTrace((event) => {
      rest.observe(event);
      reached.observe(event);
      observe?.(event);
    });
    return set;
  });
  tally.add('run');
  if (trial.obstacle) tally.add('run not played to its end');
  if (trial.failure || trial.obstacle) return trial;
  const [broken] = rest.broken;
  if (broken === undefined) return trial;
  const sameAs = broken.slice(0, 'L1'.length);
  return { ...trial, failure: failed(sameAs, `the set does not come to rest: ${sameAs}`, broken) };
}

/** What ends a run by a bug is a finding as well, so that it can be shrunk. */
async function tried(input: TrialInput, invariants: Company['invariants'], create: CreateSet): Promise<Trial> {
  try {
    return await tryOut(input, create, invariants?.());
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    const nothing = {
      coverage: NO_COVERAGE,
      members: [],
      steps: new Map(),
      ends: new Map(),
      beganMicros: 0,
      endMicros: 0,
    };
    return { ...nothing, seed: input.seed ?? 0, failure: failed(message, `replsim ends the run: ${message}`, stack) };
  }
}

function failed(sameAs: string, title: string, detail: string): Failure {
  return { of: 'invariant', sameAs, title, detail };
}

/** The step of each drawn scenario behind which nothing goes wrong, and nobody is to take over any more. */
const ALL_IS_WELL = /^eventually: \{within: 60s, primary: any\}/;

/** Whether all comes about in the end, and nobody stands for election any more. */
class Rest {
  readonly #liveness = new Liveness();
  #isAsked = false;
  #since: number | undefined;
  #missing: readonly string[] = [];

  observe(event: TraceEvent): void {
    this.#liveness.observe(event);
    if (event.type === 'step' && ALL_IS_WELL.test(event.text)) this.#isAsked = true;
    if (!this.#isAsked || this.#since !== undefined) return;
    // A no-op may be on its way at any one moment.
    this.#missing = this.#liveness.broken();
    if (this.#missing.length === 0) this.#since = event.atMicros;
  }

  get broken(): readonly string[] {
    if (!this.#isAsked) return [];
    const elections = this.#since === undefined ? 0 : this.#liveness.electionsSince(this.#since);
    return [
      ...this.#liveness.isolatedTooLong,
      ...(this.#since === undefined ? this.#missing : []),
      ...(elections > 0 ? [`L4: ${elections} elections without a fault`] : []),
    ];
  }
}

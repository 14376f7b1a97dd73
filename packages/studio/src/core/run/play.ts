import { InvariantError, type TraceEvent } from '@replsim/protocol';
import { ReplSet, type ReplSetOptions } from '@replsim/replset';
import { InvalidScenario, parseScenario, playScenario, type Scenario, type ScenarioError } from '@replsim/scenario';
import type { CauseLink } from '@replsim/why';
import type { Look, Seen } from '../look/look.ts';
import { type LookedAt, Looker } from '../look/looker.ts';
import { answersOf } from './answers.ts';
import type { Mistake, Played, Player, Question, Slice, StoryLine } from './player.ts';
import { StoryTeller } from './storyTeller.ts';

/** So many events go over at once: few enough to be taken in within a frame, and too many to be slowed by the door. */
export const SLICE_EVENTS = 500;
/** What mistakes would be shown in; the page shows them in the text itself. */
const FILE = 'scenario.yaml';

/** A run that is over, as a whole. */
export interface WholeRun extends LookedAt {
  readonly events: readonly TraceEvent[];
  readonly lines: readonly StoryLine[];
  readonly virtualMicros: number;
}

/** Plays scenarios right where it is, in a worker or in Node, and keeps the trace of the last one to be asked about it. */
export class ScenarioPlayer implements Player {
  readonly #looker = new Looker();
  #last: WholeRun | undefined;
  #why: ((question: Question) => readonly CauseLink[]) | undefined;

  /** What was played last. */
  get last(): WholeRun | undefined {
    return this.#last;
  }

  /** @param playsOn behind checks that fail */
  async play(
    text: string,
    seed: number | undefined,
    hear: (slice: Slice) => void | Promise<void>,
    playsOn = false,
  ): Promise<Played> {
    const scenario = read(text);
    if (Array.isArray(scenario)) return { kind: 'mistakes', mistakes: scenario };
    const slices = new Slices(hear);
    const { name } = scenario;
    const asked = seed ?? scenario.seed;
    const create = (setup: ReplSetOptions) => ReplSet.create({ ...setup, causes: true });
    try {
      const { ok, failure, virtualMicros, challenge } = await playScenario(scenario, create, {
        seed: asked,
        onTrace: (event) => slices.add(event),
        playsOn,
      });
      await slices.end();
      this.#why = answersOf(slices.events);
      const { events, lines } = slices;
      this.#last = { text, seed: asked, playsOn, events, lines, virtualMicros };
      const { title, detail } = failure ?? {};
      return {
        kind: 'played',
        ok,
        ...(title !== undefined && detail !== undefined && { failure: { title, detail } }),
        virtualMicros,
        seed: asked,
        name,
        ...(challenge && { challenge }),
      };
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      throw new Error(`this is a bug in replsim; seed ${asked} shows it: ${error.message}`, { cause: error });
    }
  }

  async why(question: Question): Promise<readonly CauseLink[]> {
    return this.#why?.(question) ?? [];
  }

  async look(look: Look): Promise<Seen | undefined> {
    return this.#last && this.#looker.look(this.#last, look);
  }
}

function read(text: string): Scenario | Mistake[] {
  try {
    return parseScenario(text, FILE);
  } catch (error) {
    if (error instanceof InvalidScenario) return error.mistakes.map(mistakeOf);
    throw error;
  }
}

function mistakeOf({ line, column, message, suggestion }: ScenarioError): Mistake {
  return { line, column, message, ...(suggestion !== undefined && { suggestion }) };
}

/** Cuts a run into slices, and keeps all of it. */
class Slices {
  readonly events: TraceEvent[] = [];
  readonly lines: StoryLine[] = [];
  readonly #hear: (slice: Slice) => void | Promise<void>;
  readonly #teller = new StoryTeller(this.events);
  #handedOver = 0;
  #linesHandedOver = 0;
  #lastHeard: Promise<void> | undefined;

  constructor(hear: (slice: Slice) => void | Promise<void>) {
    this.#hear = hear;
  }

  add(event: TraceEvent): void {
    this.events.push(event);
    this.lines.push(...this.#teller.observe(event));
    if (this.events.length - this.#handedOver >= SLICE_EVENTS) this.#handOver();
  }

  /** Resolves when all was heard: the end of a run must not overtake its last slice. */
  async end(): Promise<void> {
    this.lines.push(...this.#teller.end());
    this.#handOver();
    await this.#lastHeard;
  }

  #handOver(): void {
    const slice = { events: this.events.slice(this.#handedOver), lines: this.lines.slice(this.#linesHandedOver) };
    this.#handedOver = this.events.length;
    this.#linesHandedOver = this.lines.length;
    this.#lastHeard = this.#hear(slice) ?? undefined;
  }
}

import * as Comlink from 'comlink';
import type { ComparedRun, ComparerApi, Comparison } from '../compare/comparison.ts';
import type { Look, Seen } from '../look/look.ts';
import type { LookedAt } from '../look/looker.ts';
import { type Hired as HiredFor, hire as hireFor } from './hire.ts';
import type { Played, Player, Question, Slice } from './player.ts';
import { type Program, programFor, programInPlaceOf } from './program.ts';
import { Unpacker, type WireSlice } from './wire.ts';
import type { PlayerApi } from './workerApi.ts';

type Hear = (slice: Slice) => void | Promise<void>;
type Api = PlayerApi & ComparerApi;
type Hired = HiredFor<Api>;
const hire = hireFor<Api>;

/** A run that can be looked into, and the program that has played it. */
interface LastRun extends LookedAt {
  readonly program: Program;
}

/**
 * Plays in a worker, so that the page goes on meanwhile. Neither a run nor a comparison looks up before its end: asking for another one ends the
 * worker and hires a new one. Looks have a worker of their own, which plays as well, so that no run and no reason waits for them.
 */
export class WorkerPlayer implements Player {
  /** Nobody before the first run: its program may still be on its way. */
  #hired: Hired | undefined;
  /** What the worker is at. */
  #work: 'run' | 'comparison' | undefined;
  /** How many runs were asked for. */
  #asked = 0;
  /** How many comparisons were. */
  #comparisons = 0;
  /** What was played last, and can be looked into. */
  #last: LastRun | undefined;
  readonly #looks = new LookingWorker();

  async play(text: string, seed: number | undefined, hear: Hear, playsOn = false): Promise<Played | undefined> {
    const asked = ++this.#asked;
    if (this.#work) this.#dismiss();
    let program = await programFor(text);
    if (asked !== this.#asked) return;
    let result = await this.#playBy(program, text, seed, hear, playsOn);
    if (result?.lacks && asked === this.#asked) {
      const whole = await programInPlaceOf(text);
      if (asked !== this.#asked) return;
      if (whole !== undefined) {
        program = whole;
        result = await this.#playBy(program, text, seed, anew(hear), playsOn);
      }
    }
    if (result?.played.kind === 'played') this.#last = { text, seed: result.played.seed, playsOn, program };
    return result?.played;
  }

  async #playBy(program: Program, text: string, seed: number | undefined, hear: Hear, playsOn: boolean) {
    if (this.#work) this.#dismiss();
    const { remote, gone } = this.#hiredFor(program);
    const unpacker = new Unpacker();
    const listener = Comlink.proxy((slice: WireSlice) => hear(unpacker.unpack(slice)));
    this.#work = 'run';
    // After an error it stays so: whatever the worker is worth then, the next run gets another one.
    const result = await Promise.race([remote.play(text, seed, listener, playsOn), gone]);
    if (this.#hired?.remote === remote) this.#work = undefined;
    return result;
  }

  /**
   * Compares two runs behind checks that fail; it takes half as long if this player has played the second one last.
   * @returns undefined if a run or another comparison took its place, or if one of them cannot be played
   */
  async compare(one: ComparedRun, other: ComparedRun): Promise<Comparison | undefined> {
    const asked = ++this.#comparisons;
    if (this.#work === 'comparison') this.#dismiss();
    const program = await programFor(one.text, other.text);
    // A comparison of that run is asked for when it is over.
    if (asked !== this.#comparisons || this.#work === 'run') return;
    const { remote, gone } = this.#hiredFor(program);
    this.#work = 'comparison';
    const comparison = await Promise.race([remote.compare(one, other), gone]);
    if (this.#hired?.remote === remote) this.#work = undefined;
    return comparison;
  }

  #hiredFor(program: Program): Hired {
    if (this.#hired?.program !== program) this.#dismiss();
    this.#hired ??= hire(program);
    return this.#hired;
  }

  async why(question: Question) {
    if (!this.#hired) return [];
    const { remote, gone } = this.#hired;
    return (await Promise.race([remote.why(question), gone])) ?? [];
  }

  async look(look: Look) {
    return this.#last && this.#looks.look(this.#last, look);
  }

  /** Ends its workers; nobody asks this player for anything more. */
  close(): void {
    this.#dismiss();
    this.#looks.dismiss();
  }

  #dismiss(): void {
    this.#hired?.dismiss();
    this.#hired = undefined;
    this.#work = undefined;
  }
}

/** Hears a run that takes the place of what was heard before. */
function anew(hear: Hear): Hear {
  let isFirst = true;
  return (slice) => {
    const begins = isFirst;
    isFirst = false;
    return hear(begins ? { ...slice, begins: true } : slice);
  };
}

/** The worker that looks; one that plays to another instant than is asked for by now is ended. */
class LookingWorker {
  #hired: Hired | undefined;
  #run: LastRun | undefined;
  #atMicros = 0;
  /** How many looks have no answer yet. */
  #open = 0;

  async look(run: LastRun, look: Look): Promise<Seen | undefined> {
    if (this.#open > 0 && (this.#run !== run || this.#atMicros !== look.atMicros)) this.dismiss();
    const { program, ...lookedAt } = run;
    if (this.#hired?.program !== program) this.dismiss();
    this.#hired ??= hire(program);
    this.#run = run;
    this.#atMicros = look.atMicros;
    const { remote, gone } = this.#hired;
    this.#open++;
    try {
      return await Promise.race([remote.look(lookedAt, look), gone]);
    } catch (error) {
      // Whatever it is worth then, the next look gets another one.
      if (this.#hired?.remote === remote) this.dismiss();
      throw error;
    } finally {
      if (this.#hired?.remote === remote) this.#open--;
    }
  }

  dismiss(): void {
    this.#hired?.dismiss();
    this.#hired = undefined;
    this.#open = 0;
  }
}

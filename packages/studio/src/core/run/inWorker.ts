import * as Comlink from 'comlink';
import type { Look, Seen } from '../look/look.ts';
import type { LookedAt } from '../look/looker.ts';
import { type Hired as HiredFor, hire as hireFor } from './hire.ts';
import type { Played, Player, Question, Slice } from './player.ts';
import { type Program, programFor, programInPlaceOf } from './program.ts';
import { Unpacker, type WireSlice } from './wire.ts';
import type { PlayerApi } from './workerApi.ts';

type Hear = (slice: Slice) => void | Promise<void>;
type Hired = HiredFor<PlayerApi>;
const hire = hireFor<PlayerApi>;

/** A run that can be looked into, and the program that has played it. */
interface LastRun extends LookedAt {
  readonly program: Program;
}

/**
 * Plays in a worker, so that the page goes on meanwhile. A run does not look up before its end: whoever asks for another one ends the
 * worker, and gets a new one. Looks have a worker of their own, which plays as well, so that no run and no reason waits for them.
 */
export class WorkerPlayer implements Player {
  /** Nobody before the first run: its program may still be on its way. */
  #hired: Hired | undefined;
  #isPlaying = false;
  /** How many runs were asked for. */
  #asked = 0;
  /** What was played last, and can be looked into. */
  #last: LastRun | undefined;
  readonly #looks = new LookingWorker();

  async play(text: string, seed: number | undefined, hear: Hear, playsOn = false): Promise<Played | undefined> {
    const asked = ++this.#asked;
    if (this.#isPlaying) this.#dismiss();
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
    if (this.#hired?.program !== program) this.#dismiss();
    this.#hired ??= hire(program);
    const { remote, gone } = this.#hired;
    const unpacker = new Unpacker();
    const listener = Comlink.proxy((slice: WireSlice) => hear(unpacker.unpack(slice)));
    this.#isPlaying = true;
    // After an error it stays so: whatever the worker is worth then, the next run gets another one.
    const result = await Promise.race([remote.play(text, seed, listener, playsOn), gone]);
    if (this.#hired?.remote === remote) this.#isPlaying = false;
    return result;
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
    this.#isPlaying = false;
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

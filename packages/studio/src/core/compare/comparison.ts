import { ScenarioPlayer, type WholeRun } from '../run/play.ts';
import { type Figures, figuresOf } from './figures.ts';
import { type Likeness, likenessOf } from './likeness.ts';

/** A run that is to be compared. */
export interface ComparedRun {
  readonly text: string;
  readonly seed: number;
}

/** Where two runs are alike, and both in figures. */
export interface Comparison {
  readonly likeness: Likeness;
  readonly one: Figures;
  readonly other: Figures;
}

/** What a worker answers to whoever compares. */
export interface ComparerApi {
  /** @param other what this worker has played last, if it need not play that again */
  compare(one: ComparedRun, other: ComparedRun): Promise<Comparison | undefined>;
}

/**
 * Compares the last run of a player with another one, behind checks that fail too. It plays that one itself, which costs the page less than to
 * hand over what it has of it, and keeps it for the next comparison.
 */
export class Comparer implements ComparerApi {
  readonly #first = new ScenarioPlayer();
  readonly #second: ScenarioPlayer;

  /** @param second answers what is asked about the second run */
  constructor(second: ScenarioPlayer) {
    this.#second = second;
  }

  async compare(one: ComparedRun, other: ComparedRun): Promise<Comparison | undefined> {
    const [first, second] = [await playedBy(this.#first, one), await playedBy(this.#second, other)];
    return (
      first &&
      second && {
        likeness: likenessOf(first, second),
        one: figuresOf(first.events, first.virtualMicros),
        other: figuresOf(second.events, second.virtualMicros),
      }
    );
  }
}

async function playedBy(player: ScenarioPlayer, { text, seed }: ComparedRun): Promise<WholeRun | undefined> {
  const isLast = () => player.last?.text === text && player.last.seed === seed && player.last.playsOn;
  if (!isLast()) await player.play(text, seed, () => {}, true);
  return isLast() ? player.last : undefined;
}

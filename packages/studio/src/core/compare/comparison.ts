import { ScenarioPlayer } from '../run/play.ts';
import { type Figures, figuresOf } from './figures.ts';
import { type Likeness, likenessOf } from './likeness.ts';
import { type Traced, tracedPlayer } from './tracedPlayer.ts';

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
  compare(one: ComparedRun, other: ComparedRun): Promise<Comparison | undefined>;
}

/** Plays both once more, behind checks that fail too, which costs the page less than to hand over what it has of them. */
export async function compareRuns(one: ComparedRun, other: ComparedRun): Promise<Comparison | undefined> {
  const [first, second] = [await tracedOf(one), await tracedOf(other)];
  return (
    first &&
    second && {
      likeness: likenessOf(first, second),
      one: figuresOf(first.events, first.played.virtualMicros),
      other: figuresOf(second.events, second.played.virtualMicros),
    }
  );
}

async function tracedOf({ text, seed }: ComparedRun): Promise<Traced | undefined> {
  let traced: Traced | undefined;
  const player = new ScenarioPlayer();
  const plays = {
    play: (...[its, number, hear]: Parameters<typeof player.play>) => player.play(its, number, hear, true),
  };
  await tracedPlayer(plays, (told) => {
    traced = told;
  }).play(text, seed, () => {});
  return traced;
}

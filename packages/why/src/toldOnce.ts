import { formatInstant } from '@replsim/kernel';

/** One link of a chain: something that happened, in a sentence. */
export interface CauseLink {
  /** Its number in the trace; 0 for what was there before time began. */
  readonly turn: number;
  readonly atMicros: number;
  readonly text: string;
}

/** A link as it happened. */
export interface ToldLink extends CauseLink {
  /** Nothing within the run caused it. */
  readonly ends: boolean;
}

/** The longest round that is looked for: a heartbeat has four links. */
const LONGEST_ROUND = 8;
/** A round that is gone through so often is told once. */
const FEWEST_ROUNDS = 3;

/** A chain in which what repeats is told once, with how often and since when. */
export function toldOnce(links: readonly ToldLink[]): CauseLink[] {
  const told: CauseLink[] = [];
  for (let at = 0; at < links.length; ) {
    const { length, rounds } = roundsAt(links, at);
    for (const { turn, atMicros, text } of links.slice(at, at + length)) told.push({ turn, atMicros, text });
    const oldest = links[at + length * rounds - 1];
    if (rounds > 1 && oldest) {
      const { turn, atMicros } = oldest;
      const what = length === 1 ? 'the same' : `the same ${length}`;
      told.push({ turn, atMicros, text: `${what}, ${rounds - 1} more times, since ${formatInstant(atMicros)}` });
    }
    at += length * rounds;
  }
  return told;
}

/** How long the round is that is gone through most from here on, and how often; one link once, if none is. */
function roundsAt(links: readonly ToldLink[], at: number): { length: number; rounds: number } {
  for (let length = 1; length <= LONGEST_ROUND; length++) {
    let rounds = 1;
    while (isSame(links, at, at + length * rounds, length)) rounds++;
    if (rounds >= FEWEST_ROUNDS) return { length, rounds };
  }
  return { length: 1, rounds: 1 };
}

function isSame(links: readonly ToldLink[], one: number, other: number, length: number): boolean {
  for (let i = 0; i < length; i++) {
    const [a, b] = [links[one + i], links[other + i]];
    if (a === undefined || b === undefined || a.text !== b.text) return false;
  }
  return true;
}

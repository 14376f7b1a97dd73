import written from './lessonFacts.txt?raw';
import pictures from './lessonPictures.txt?raw';

/** A stretch of a member's lane, up to a share of the film in thousandths. */
export interface Stretched {
  readonly look: string;
  readonly to: number;
}

/** What the list of lessons says of one besides its words: made from its run, see `test/start/lessonFacts.test.ts`. */
export interface LessonFacts {
  readonly minutes: number;
  /** By member, in the order of the set. */
  readonly lanes: readonly (readonly Stretched[])[];
  /** The set at its most telling instant, as the text of an `svg` element; empty if there is none. */
  readonly picture: string;
}

/** @returns undefined for a lesson of which nothing was written down */
export function factsOf(id: string): LessonFacts | undefined {
  const line = lineOf(written, id);
  if (line === undefined) return undefined;
  const [minutes, ...lanes] = line.split(' ');
  return { minutes: Number(minutes), lanes: lanes.map(laneOf), picture: lineOf(pictures, id) ?? '' };
}

const lineOf = (text: string, id: string) => new RegExp(`^${id} (.*)$`, 'm').exec(text)?.[1];

function laneOf(lane: string): readonly Stretched[] {
  return lane.split(',').map((each) => {
    const [look = '', to] = each.split(':');
    return { look, to: Number(to) };
  });
}

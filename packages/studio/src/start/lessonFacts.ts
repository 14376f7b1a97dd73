import written from './lessonFacts.txt?raw';

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
}

/** @returns undefined for a lesson of which nothing was written down */
export function factsOf(id: string): LessonFacts | undefined {
  const [, line] = new RegExp(`^${id} (.*)$`, 'm').exec(written) ?? [];
  if (line === undefined) return undefined;
  const [minutes, ...lanes] = line.split(' ');
  return { minutes: Number(minutes), lanes: lanes.map(laneOf) };
}

function laneOf(lane: string): readonly Stretched[] {
  return lane.split(',').map((each) => {
    const [look = '', to] = each.split(':');
    return { look, to: Number(to) };
  });
}

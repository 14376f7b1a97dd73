import written from './challengeList.txt?raw';
import { allScenarios, type Shelved, seenScenarios } from './shelf.ts';

/** A challenge to choose. */
export interface ListedChallenge {
  /** Of its file, without folder and ending: `01-elect-another`. */
  readonly id: string;
  readonly title: string;
}

const FOLDER = 'challenges/';

/** The twelve, from easy to hard. Their texts come with all scenarios, when somebody wants one. */
export const challenges: readonly ListedChallenge[] = written
  .trim()
  .split('\n')
  .map((line) => {
    const [id = ''] = line.split(' ', 1);
    return { id, title: line.slice(id.length + 1) };
  });

/** Those that try what a lesson has taught; none while nothing is loaded. @param lesson its id, which begins with its number */
export function challengesOfLesson(lesson: string): readonly ListedChallenge[] {
  const below = `${FOLDER}lesson-${lesson.slice(0, 2)}/`;
  const found = seenScenarios()?.filter(({ path }) => path.startsWith(below)) ?? [];
  return found.map((each) => ({ id: idOf(each), title: each.name }));
}

/** @throws Error if the scenarios do not lie beside the page, with words for whoever looks at it */
export async function textOfChallenge(id: string): Promise<string> {
  const path = `${FOLDER}${id}.yaml`;
  const found = (await allScenarios()).find((each) => each.path === path);
  if (!found) throw new Error(`scenarios.js has no ${path}: build the page again`);
  return found.text;
}

/** The challenge that a text tries to solve: its head is the same, whatever steps it has; undefined too while nothing is loaded. */
export function challengeOfText(text: string): string | undefined {
  return seenScenarios()?.flatMap((each) => (isTriedBy(each, text) ? [idOf(each)] : []))[0];
}

function isTriedBy({ path, text }: Shelved, tried: string): boolean {
  return path.startsWith(FOLDER) && headOf(text) === headOf(tried);
}

const headOf = (text: string) => text.replace(/^steps:.*/ms, '');
const idOf = ({ path }: Shelved) => path.slice(FOLDER.length).replace(/\.yaml$/, '');

import { namesIn } from './repository.ts';

const FOLDER = 'scenarios/lessons';

/** All lessons, one after the other, by path from the top: their names begin with their numbers. */
export const lessonFiles: readonly string[] = namesIn(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => `${FOLDER}/${name}`);

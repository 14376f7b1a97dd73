import { challengeOfText } from './challengeList.ts';
import { lessonOfText } from './lessonList.ts';
import { keepDone } from './progress.ts';
import { allScenarios } from './shelf.ts';

/** Somebody has come to the end of a lesson, or has solved a challenge. */
export function done(text: string): void {
  const lesson = lessonOfText(text);
  if (lesson) keepDone('lessons', lesson.id);
  else allScenarios().then(() => keepChallenge(text), missesNothing);
}

function keepChallenge(text: string): void {
  const challenge = challengeOfText(text);
  if (challenge !== undefined) keepDone('challenges', challenge);
}

/** A page that lies alone has no list of challenges to mark. */
function missesNothing(): void {}

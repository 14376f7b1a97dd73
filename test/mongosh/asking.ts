import type { ServedSet } from '@replsim/server';
import { beforeAll, expect, test } from 'vitest';
import { type Answer, type Asked, askAll } from './mongosh.ts';

/** The shell's arguments for one member alone. @param member default the primary */
export function directly(served: ServedSet, member = served.primary!): string[] {
  const [host, port] = served.set.hostOf(member).split(':');
  return ['--host', host!, '--port', port!];
}

/** One run of the shell for a whole table, and a test for each row. @param where as on the shell's command line */
export function testAll(where: () => readonly string[], asked: readonly Asked[]): void {
  let answers: ReadonlyMap<string, Answer>;
  beforeAll(async () => {
    answers = await askAll(where(), asked);
  });
  test('each has a name of its own', () => {
    expect(new Set(asked.map(({ name }) => name)).size).toBe(asked.length);
  });
  test.for(asked)('$name', ({ name, gives, throws }) => {
    const answer = answers.get(name);
    expect(answer, 'the shell has ended before').toBeDefined();
    // Objects may have more fields than are named; arrays have exactly these elements.
    expect(answer).toMatchObject(throws === undefined ? { name, value: gives } : { name, error: throws });
  });
}

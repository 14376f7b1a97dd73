import { expect, test } from 'vitest';
import { type Course, compareCourses, type Turn } from '../src/index.ts';

const turn = (atMs: number, host: string, what: string, term?: number): Turn => ({
  atMs,
  host,
  what,
  ...(term !== undefined && { term }),
  seen: { file: `${host}.log`, line: 1 },
});
const course = (turns: readonly Turn[], hosts = ['a', 'b'], [fromMs, untilMs] = [1000, 60_000]): Course => ({
  hosts,
  fromMs: fromMs!,
  untilMs: untilMs!,
  turns,
});
const WINS = turn(5000, 'a', 'wins an election', 3);
const DOWN = turn(9000, 'a', 'goes from PRIMARY to SECONDARY');
const NEXT = turn(9500, 'b', 'wins an election', 4);
const LOGS = course([WINS, DOWN, NEXT]);

test.for<[what: string, run: Course, expected: object]>([
  ['the same', LOGS, { shared: 3, departure: undefined, apartMs: 0, termsBelow: 0 }],
  [
    'a little later, in lower terms',
    course([{ ...WINS, atMs: 5999, term: 1 }, DOWN, { ...NEXT, term: 2 }]),
    { shared: 3, departure: undefined, apartMs: 999, termsBelow: 2 },
  ],
  ['a second later', course([{ ...WINS, atMs: 6000 }, DOWN, NEXT]), { shared: 0, departure: { logs: WINS } }],
  ['somebody else', course([{ ...WINS, host: 'b' }, DOWN, NEXT]), { shared: 0, departure: { logs: WINS } }],
  ['something else', course([WINS, { ...DOWN, what: 'rolls back' }, NEXT]), { shared: 1, departure: { logs: DOWN } }],
  ['less', course([WINS, DOWN]), { shared: 2, departure: { logs: NEXT, run: undefined } }],
  ['nothing', course([]), { shared: 0, departure: { logs: WINS, run: undefined } }],
  [
    'more, while the logs last',
    course([WINS, DOWN, NEXT, turn(60_000, 'b', 'rolls back')]),
    { shared: 3, departure: { logs: undefined, run: { atMs: 60_000 } } },
  ],
  ['more, after them', course([WINS, DOWN, NEXT, turn(60_001, 'b', 'rolls back')]), { departure: undefined }],
  ['more, before them', course([turn(999, 'b', 'wins an election'), WINS, DOWN, NEXT]), { departure: undefined }],
  [
    'more, of a member without a log',
    course([turn(2000, 'c', 'rolls back'), WINS, DOWN, NEXT]),
    { departure: undefined },
  ],
])('a run that has %s', ([, run, expected]) => {
  expect(compareCourses(LOGS, run)).toMatchObject(expected);
});

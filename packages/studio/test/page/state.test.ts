import { expect, test } from 'vitest';
import { begun, linkOf, memberOf, mistakesText, type PageAction, pointedBy, reduced } from '../../src/page/state.ts';

// All that somebody can choose on the page, without a page.

const FREE = begun('name: A\n', undefined, false);
const after = (...actions: readonly PageAction[]) => actions.reduce(reduced, FREE);

test('a run is opened where it becomes worth seeing, unless somebody has gone elsewhere', () => {
  const place = { type: 'place', atMicros: 7 } as const;
  expect(after(place).chosenMicros).toBe(7);
  expect(after({ type: 'go', atMicros: 3 }, place).chosenMicros).toBe(3);
  expect(after(place, { type: 'place', atMicros: 9 }).chosenMicros).toBe(7);
  const linked = begun('', { text: 'name: B\n', atMicros: 5 }, false);
  expect(reduced(linked, place)).toBe(linked);
});

test('a live set is followed until somebody goes elsewhere', () => {
  const live = begun('', undefined, true);
  expect(live.chosenMicros).toBeUndefined();
  const gone = reduced(live, { type: 'go', atMicros: 3 });
  expect(reduced(gone, { type: 'follow' }).chosenMicros).toBeUndefined();
});

test('what is selected is what is looked at, but while two runs are compared', () => {
  const selects = { type: 'select', members: ['n1'] } as const;
  expect(after({ type: 'look', look: 'log' }, selects).look).toBe('member');
  expect(after({ type: 'compare' }, selects).look).toBe('compare');
  expect(after({ type: 'look', look: 'log' }, { type: 'select', members: [] }).look).toBe('log');
  expect(memberOf(after(selects))).toBe('n1');
  expect(memberOf(after({ type: 'select', members: ['n1', 'n2'] }))).toBeUndefined();
});

test('a document that is pressed is what is looked at', () => {
  const document = { ns: 'app.a', id: '{"_id":1}' };
  const pressed = after({ type: 'chooseDocument', document });
  expect([pressed.look, pressed.pane, pressed.document]).toEqual(['document', 'look', document]);
});

test('reading begins at the beginning, and another seed begins it anew', () => {
  const led = after({ type: 'go', atMicros: 9 }, { type: 'read', reading: 'lesson' });
  expect([led.chosenMicros, led.readings]).toEqual([0, 1]);
  const again = reduced(reduced(led, { type: 'go', atMicros: 4 }), { type: 'seed', seed: 2 });
  expect([again.chosenMicros, again.readings, again.seed]).toEqual([0, 2, 2]);
  expect(after({ type: 'go', atMicros: 9 }, { type: 'seed', seed: 2 }).chosenMicros).toBe(9);
});

test('whoever changes the text is led no longer', () => {
  const changed = after({ type: 'read', reading: 'lesson' }, { type: 'edit', text: 'name: C\n' });
  expect([changed.reading, changed.text]).toEqual(['free', 'name: C\n']);
});

test('a second run is left with what was asked of it, and its link', () => {
  const second = { text: 'name: D\n' };
  const both = begun('', { text: 'name: B\n', atMicros: 0, reading: 'lesson', second }, false);
  expect([both.isComparing, both.reading, both.look]).toEqual([true, 'free', 'compare']);
  const asked = reduced(both, { type: 'ask', question: { kind: 'event', turn: 1 }, of: 'second' });
  const alone = reduced(asked, { type: 'compare' });
  expect([alone.isComparing, alone.given, alone.questions.second]).toEqual([false, undefined, undefined]);
});

test('a click that has no place says so until something is selected', () => {
  const refused = after({ type: 'refuse', why: 'no list of steps' });
  expect(reduced(refused, { type: 'select', members: ['n1'] }).cannot).toBeUndefined();
});

test('the same line added twice is told twice', () => {
  const adds = { type: 'added', lines: ['- kill: n1'], line: 4 } as const;
  expect(after(adds).added?.turn).not.toBe(after(adds, adds).added?.turn);
  expect(after(adds, { type: 'forget' }).added).toBeUndefined();
});

test('a link says what is shown, and what is begun with it says the same', () => {
  const shown = after({ type: 'go', atMicros: 8 }, { type: 'select', members: ['n2'] }, { type: 'seed', seed: 3 });
  const link = linkOf(shown, 8, undefined);
  expect(link).toEqual({ text: 'name: A\n', atMicros: 8, seed: 3, member: 'n2', reading: 'free' });
  expect(linkOf(begun('', link, false), 8, undefined)).toEqual(link);
  expect(linkOf(FREE, 0, { text: 'x' }).second).toEqual({ text: 'x' });
});

test('a sentence points at the members and entries that it names', () => {
  const text = 'n2 applied i app.notes at (60,1 t2), which n10 wrote after (0,1 no term)';
  expect(pointedBy(text, 5, ['n1', 'n2', 'n10'], 1000)).toEqual({
    members: ['n2', 'n10'],
    entries: ['1060 1 2', '1000 1 -1'],
    atMicros: 5,
  });
});

test('one mistake is one', () => {
  expect(mistakesText(1)).toMatch(/^1 mistake in/);
  expect(mistakesText(2)).toMatch(/^2 mistakes in/);
});

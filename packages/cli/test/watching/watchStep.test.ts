import { expect, test } from 'vitest';
import {
  NOTHING_YET,
  type WatchEffect,
  type WatchEvent,
  type WatchState,
  watchStep,
} from '../../src/watching/watchStep.ts';

const key = (name: string): WatchEvent => ({ type: 'key', key: name });
const changed = (file: string): WatchEvent => ({ type: 'changed', file });
const played = (held: string[], failed: string[] = []): WatchEvent => ({ type: 'played', held, failed });
const begin: WatchEvent = { type: 'begin' };
const mistaken: WatchEvent = { type: 'mistaken' };
const noFilters = { file: '', name: '' };

/** What is done about the last of these events, and the state then. */
function after(...events: readonly WatchEvent[]): { state: WatchState; effects: readonly WatchEffect[] } {
  let state = NOTHING_YET;
  let effects: readonly WatchEffect[] = [];
  for (const event of events) [state, effects] = watchStep(state, event);
  return { state, effects };
}

const plays = ({ effects }: { effects: readonly WatchEffect[] }) =>
  effects.flatMap((effect) => (effect.type === 'play' ? [{ batch: effect.batch, filters: effect.filters }] : []));
const said = ({ effects }: { effects: readonly WatchEffect[] }) =>
  effects.map((effect) => (effect.type === 'say' ? effect.text : '')).join('');

test('plays all at first, and then what changes', () => {
  expect(plays(after(begin))).toEqual([{ batch: 'all', filters: noFilters }]);
  const idle = after(begin, played(['a', 'b']));
  expect(said(idle)).toBe('\nwaiting for changes; h shows the keys\n');
  expect(plays(after(begin, played(['a', 'b']), changed('b')))).toEqual([{ batch: ['b'], filters: noFilters }]);
});

test('what changes while something is played has its turn afterwards, once', () => {
  const during = [begin, changed('b'), changed('a'), changed('b')];
  expect(after(...during).effects).toEqual([]);
  // It may have been read before it changed.
  expect(plays(after(...during, played(['a', 'b'])))).toEqual([{ batch: ['a', 'b'], filters: noFilters }]);
  expect(plays(after(...during, played(['a', 'b']), played(['a', 'b'])))).toEqual([]);
});

test('f plays what failed, until it holds or is removed', () => {
  const failed = [begin, played(['a'], ['b', 'c'])];
  expect(said(after(...failed))).toBe('\n2 failed; waiting for changes; h shows the keys\n');
  expect(plays(after(...failed, key('f')))[0]!.batch).toEqual(['b', 'c']);
  expect(plays(after(...failed, key('f'), played(['b'], ['c']), key('f')))[0]!.batch).toEqual(['c']);
  expect(plays(after(...failed, { type: 'removed', file: 'b' }, key('f')))[0]!.batch).toEqual(['c']);
  expect(said(after(begin, played(['a']), key('f')))).toBe('nothing has failed\n');
});

test.for([
  ['p', 'file'],
  ['t', 'name'],
])('%s filters by %s, typed as in a line of a terminal', ([letter, filter]) => {
  const typed = [begin, played(['a']), key(letter!), ...['t', 'x', 'backspace', 't', 'q'].map(key)];
  expect(said(after(...typed))).toBe(`\r\x1b[Kpart of the ${filter}: ttq`);
  const filters = { ...noFilters, [filter!]: 'ttq' };
  expect(plays(after(...typed, key('enter')))).toEqual([{ batch: 'all', filters }]);
  const filtered = [...typed, key('enter'), played(['a'])];
  expect(plays(after(...filtered, key('enter')))).toEqual([{ batch: 'all', filters }]);
  expect(plays(after(...filtered, changed('a')))).toEqual([{ batch: ['a'], filters }]);
  expect(plays(after(...filtered, key('a')))).toEqual([{ batch: 'all', filters: noFilters }]);
  expect(said(after(...filtered, key(letter!)))).toContain(': ttq');
  expect(after(...typed, key('escape')).state.filters).toEqual(noFilters);
});

test('a change waits for the end of what is typed', () => {
  const typing = [begin, played(['a']), key('p'), changed('a')];
  expect(after(...typing).effects).toEqual([]);
  expect(plays(after(...typing, key('escape')))).toEqual([{ batch: ['a'], filters: noFilters }]);
  expect(plays(after(...typing, key('enter')))[0]!.batch).toBe('all');
});

test('keys that are pressed while something is played are obeyed afterwards, in order', () => {
  const during = [begin, key('f'), key('h'), key('a'), key('t')];
  const effects = after(...during, played([], ['a']));
  expect(plays(effects)[0]!.batch).toEqual(['a']);
  const then = after(...during, played([], ['a']), played([], ['a']));
  expect(said(then)).toContain('q      quit');
  expect(plays(then)[0]!.batch).toBe('all');
  expect(said(after(...during, played([], ['a']), played([], ['a']), played([], ['a'])))).toContain(
    'part of the name: ',
  );
});

test('q and an interruption quit at once', () => {
  for (const event of [key('q'), { type: 'interrupted' } as const]) {
    expect(after(begin, event).effects).toEqual([{ type: 'quit' }]);
    expect(after(begin, played([]), event).effects).toEqual([{ type: 'quit' }]);
  }
  expect(after(begin, played([]), key('t'), { type: 'interrupted' }).effects).toEqual([{ type: 'quit' }]);
});

test('where a file has mistakes, the next change plays what could not be played', () => {
  expect(plays(after(begin, mistaken, changed('a')))[0]!.batch).toBe('all');
  const some = [begin, played(['a', 'b', 'c']), changed('a'), mistaken];
  expect(plays(after(...some, changed('b')))[0]!.batch).toEqual(['a', 'b']);
  expect(plays(after(...some, { type: 'removed', file: 'a' }, changed('b')))[0]!.batch).toEqual(['b']);
  expect(plays(after(...some, changed('b'), played(['a', 'b']), changed('c')))[0]!.batch).toEqual(['c']);
});

test('any other key says which there are', () => {
  expect(said(after(begin, played([]), key('x')))).toBe('h shows the keys\n');
  for (const each of ['a', 'enter', 'f', 'p', 't', 'q'])
    expect(said(after(begin, played([]), key('h')))).toMatch(new RegExp(`^  ${each} `, 'm'));
});

import { expect, test } from 'vitest';
import { bubblesOf } from '../../src/set/bubblePlace.ts';
import type { Effects } from '../../src/set/bubbles.ts';
import { ringPlaces } from '../../src/set/places.ts';

const names = Array.from({ length: 50 }, (_, i) => `n${i + 1}`);
const places = ringPlaces(names, { width: 640 });
const says = (text: string): Effects => ({ bubble: { text, mood: 'good' }, burst: undefined, fading: undefined });

test('of many who say the same not all are heard, and who says something else is', () => {
  const effects = new Map(names.map((name) => [name, says(name === 'n25' ? 'elected, 4 votes' : 'n25 is primary')]));
  const shown = bubblesOf(places, effects);
  expect(shown[0]?.name).toBe('n25');
  expect(shown.length).toBeGreaterThan(10);
  for (const { name, place } of shown)
    for (const other of shown)
      if (name !== other.name)
        expect(
          Math.abs(place.x - other.place.x) >= place.half + other.place.half || Math.abs(place.y - other.place.y) >= 22,
          `${name} and ${other.name}`,
        ).toBe(true);
});

test('a few who stand apart are all heard', () => {
  const effects = new Map([
    ['n1', says('yes')],
    ['n9', says('yes')],
  ]);
  expect(bubblesOf(places, effects).map(({ name }) => name)).toEqual(['n1', 'n9']);
});

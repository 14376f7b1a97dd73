import { describe, expect, test } from 'vitest';
import { bubblePlace } from '../../src/set/bubblePlace.ts';
import { clearWay, isCovered } from '../../src/set/clear.ts';
import { ringPlaces } from '../../src/set/places.ts';

const names = (count: number) => Array.from({ length: count }, (_, i) => `n${i + 1}`);
/** As large as "would you?". */
const WORD = { width: 43, height: 11 };

describe.each([2, 3, 4, 5])('in a picture of %d members', (count) => {
  const places = ringPlaces(names(count), { width: 640, least: 250 });
  const pairs = names(count).flatMap((one) => names(count).flatMap((other) => (one === other ? [] : [[one, other]])));

  test.for(pairs)('a word from %s to %s covers no label on its way, if there is room for it', ([one, other]) => {
    const way = clearWay(places, one!, other!, WORD, 12)!;
    if (way.length === 0) return;
    const discs = [...places.of.values()];
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const at = { x: way.from.x + (way.to.x - way.from.x) * part, y: way.from.y + (way.to.y - way.from.y) * part };
      expect(discs.filter((disc) => isCovered(at, WORD, disc, places.tile))).toEqual([]);
    }
  });

  test('what a member says is whole in the picture', () => {
    for (const name of names(count)) {
      const { x, y, half } = bubblePlace(places, name, 'I would not vote for n2')!;
      expect(x - half).toBeGreaterThan(0);
      expect(x + half).toBeLessThan(places.width);
      expect(y).toBeGreaterThan(22);
    }
  });
});

test('three members have room for the words of an election on every way', () => {
  const places = ringPlaces(names(3), { width: 640, least: 250 });
  for (const one of names(3))
    for (const other of names(3))
      if (one !== other) expect(clearWay(places, one, other, WORD, 12)?.length).toBeGreaterThan(40);
});

import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { LinkSettings } from '../src/link.ts';
import { DEFAULT_LINK_SETTINGS, Network } from '../src/links.ts';
import { Random } from '../src/random.ts';

const MS = 1_000;
const networkOf = (settings: Partial<LinkSettings> = {}, seed: number | string = 1): Network =>
  new Network(Random.fromSeed(seed), settings);
const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
/** Sends one message every `everyMicros`. */
const sendMany = (network: Network, n: number, everyMicros = 100, channel = 'c'): (readonly number[])[] =>
  range(n).map((i) => network.send('n1', 'n2', channel, i * everyMicros));

// --- delivery --------------------------------------------------------------------------------------------------------

test('a healthy link delivers once, within its latency, both ends of the range included', () => {
  const network = networkOf({ latencyMs: [1, 1.003] });
  const delays = sendMany(network, 200, 10 * MS).map((times, i) => times.map((time) => time - i * 10 * MS));
  expect(delays.every((times) => times.length === 1)).toBe(true);
  expect(new Set(delays.flat())).toEqual(new Set([1_000, 1_001, 1_002, 1_003]));
});

test('a channel is first in, first out; another channel does not wait for it', () => {
  const network = networkOf({ latencyMs: [0, 100] });
  const slow = network.link('n1', 'n2');
  const arrivals = range(1_000).map((i) => ({ a: slow.send('a', i)[0]!, b: slow.send('b', i)[0]! }));
  for (const channel of ['a', 'b'] as const)
    arrivals.slice(1).forEach((arrival, i) => {
      expect(arrival[channel]).toBeGreaterThanOrEqual(arrivals[i]![channel]);
    });
  expect(arrivals.some(({ a, b }) => b < a)).toBe(true);
});

test('first in, first out holds for copies too, whatever is lost', () => {
  const anySettings = fc.record({
    latencyMs: fc.tuple(fc.nat(20), fc.nat(20)).map(([min, more]) => [min, min + more] as const),
    loss: fc.double({ min: 0, max: 0.9, noNaN: true }),
    duplicate: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(anySettings, fc.array(fc.nat(5_000)), fc.nat(), (settings, gaps, seed) => {
      const network = networkOf(settings, seed);
      let now = 0;
      let latest = 0;
      for (const gap of gaps) {
        now += gap;
        for (const time of network.send('n1', 'n2', 'c', now)) {
          expect(time).toBeGreaterThanOrEqual(Math.max(latest, now + settings.latencyMs[0] * MS));
          latest = time;
        }
      }
    }),
    { seed: 5 },
  );
});

test('a reordered message may be overtaken, even where latency is constant, and then only it', () => {
  const always = sendMany(networkOf({ latencyMs: [1, 4], reorder: 1 }), 200).flat();
  expect(always.some((time, i) => time < (always[i - 1] ?? 0))).toBe(true);

  const times = sendMany(networkOf({ latencyMs: [1, 1], reorder: 0.2 }), 1_000).flat();
  const heldUp = times.map((time, i) => time - i * 100 > 1 * MS);
  const inOrder = times.filter((_, i) => !heldUp[i]);
  expect(inOrder).toEqual(range(1_000).flatMap((i) => (heldUp[i] ? [] : [i * 100 + 1 * MS])));
  expect(Math.abs(heldUp.filter(Boolean).length - 200)).toBeLessThan(65);
});

test('losses and duplicates are as frequent as they are said to be', () => {
  const fates = sendMany(networkOf({ loss: 0.2, duplicate: 0.5 }), 5_000).map((times) => times.length);
  const count = (n: number): number => fates.filter((fate) => fate === n).length;
  expect(Math.abs(count(0) - 1_000)).toBeLessThan(150);
  expect(Math.abs(count(1) - 2_000)).toBeLessThan(180);
  expect(Math.abs(count(2) - 2_000)).toBeLessThan(180);
});

test('of two copies the earlier comes first', () => {
  const copies = sendMany(networkOf({ latencyMs: [1, 50], duplicate: 1, reorder: 0.5 }), 300);
  for (const [first, second] of copies) expect(first).toBeLessThanOrEqual(second!);
  expect(copies.some(([first, second]) => first! < second!)).toBe(true);
});

test('a channel for each request costs no order: those under way are remembered when idle ones are forgotten', () => {
  const network = networkOf({ latencyMs: [5, 5] });
  const busy = network.send('n1', 'n2', 'busy', 0)[0]!;
  network.setDefaults({ latencyMs: [0, 0] });
  const set = vi.spyOn(Map.prototype, 'set');
  for (const i of range(1_000)) network.send('n1', 'n2', `request ${i}`, i);
  const channels = (set.mock.contexts as Map<unknown, unknown>[]).find((map) => map.has('request 999'));
  set.mockRestore();
  expect(channels?.size).toBeLessThan(100);
  expect(network.send('n1', 'n2', 'busy', 1_000)).toEqual([busy]);
});

// --- chance ----------------------------------------------------------------------------------------------------------

test('links do not disturb each other, nor does it matter which is used first', () => {
  const quiet = networkOf();
  const alone = sendMany(quiet, 50);
  const noisy = networkOf();
  const amidst = range(50).map((i) => {
    noisy.send('n2', 'n1', 'c', i);
    noisy.send('n1', 'n3', 'c', i);
    return noisy.send('n1', 'n2', 'c', i * 100);
  });
  expect(amidst).toEqual(alone);
  expect(range(50).map((i) => quiet.send('n2', 'n1', 'c', i * 100))).not.toEqual(alone);
});

test('the same seed gives the same deliveries, another seed others', () => {
  const faulty = { loss: 0.1, duplicate: 0.1, reorder: 0.1 };
  expect(sendMany(networkOf(faulty, 7), 100)).toEqual(sendMany(networkOf(faulty, 7), 100));
  expect(sendMany(networkOf(faulty, 7), 100)).not.toEqual(sendMany(networkOf(faulty, 8), 100));
});

// --- settings --------------------------------------------------------------------------------------------------------

test('a link falls back to the defaults, present and future, in what was not set for it', () => {
  const network = networkOf({ loss: 0.5 });
  const link = network.link('n1', 'n2');
  expect(link.settings).toEqual({ ...DEFAULT_LINK_SETTINGS, loss: 0.5 });
  network.setLink('n1', 'n2', { latencyMs: [9, 9] });
  network.setLink('n1', 'n2', { loss: 0 });
  network.setDefaults({ latencyMs: [2, 2], duplicate: 1 });
  expect(link.settings).toEqual({ latencyMs: [9, 9], loss: 0, duplicate: 1, reorder: 0 });
  expect(network.link('n2', 'n1').settings).toEqual({ latencyMs: [2, 2], loss: 0.5, duplicate: 1, reorder: 0 });
  expect(link.send('c', 0)).toEqual([9 * MS, 9 * MS]);
});

test("heal('all') takes a link's own settings back, healing ends does not", () => {
  const network = networkOf({ latencyMs: [2, 2] });
  network.setLink('n1', 'n2', { loss: 1 });
  network.heal(['n1', 'n2']);
  expect(network.send('n1', 'n2', 'c', 0)).toEqual([]);
  network.heal('all');
  expect(network.send('n1', 'n2', 'c', 0)).toEqual([2 * MS]);
});

test.for<Partial<LinkSettings>>([
  { latencyMs: [2, 1] },
  { latencyMs: [-1, 1] },
  { latencyMs: [Number.NaN, 1] },
  { latencyMs: [0, Number.POSITIVE_INFINITY] },
  { loss: 1.1 },
  { duplicate: -0.1 },
  { reorder: Number.NaN },
])('%o makes no sense and changes nothing', (settings) => {
  const network = networkOf();
  expect(() => networkOf(settings)).toThrow(RangeError);
  expect(() => network.setDefaults(settings)).toThrow(RangeError);
  expect(() => network.setLink('n1', 'n2', settings)).toThrow(RangeError);
  expect(network.link('n1', 'n2').settings).toEqual(DEFAULT_LINK_SETTINGS);
});

// --- partitions and cuts ---------------------------------------------------------------------------------------------

const ENDS = ['n1', 'n2', 'n3', 'n4', 'n5'];
/** The pairs that cannot talk, as 'n1>n2'; 'n1|n2' where neither way is open. */
function blocked(network: Network): string[] {
  const pairs = network.blockedPairs();
  const oneWay = new Set(pairs.map(([from, to]) => `${from}>${to}`));
  return pairs.flatMap(([from, to]) =>
    !oneWay.has(`${to}>${from}`) ? [`${from}>${to}`] : from < to ? [`${from}|${to}`] : [],
  );
}

test.for<{ name: string; faults: (network: Network) => void; blocks: string[] }>([
  { name: 'nothing', faults: () => {}, blocks: [] },
  {
    name: 'a partition whose last group is the ends it does not name',
    faults: (network) => network.partition([['n1', 'n2'], ['n3']]),
    blocks: ['n1|n3', 'n1|n4', 'n1|n5', 'n2|n3', 'n2|n4', 'n2|n5', 'n3|n4', 'n3|n5'],
  },
  { name: 'one group', faults: (network) => network.partition([['n5']]), blocks: ['n1|n5', 'n2|n5', 'n3|n5', 'n4|n5'] },
  { name: 'a cut', faults: (network) => network.cut('n1', 'n2'), blocks: ['n1>n2'] },
  {
    name: 'two cuts of one end',
    faults: (network) => {
      network.cut('n1', 'n2');
      network.cut('n1', 'n3');
    },
    blocks: ['n1>n2', 'n1>n3'],
  },
  {
    name: 'a second partition, which adds to the first',
    faults: (network) => {
      network.partition([['n5'], ['n1', 'n2', 'n3', 'n4']]);
      network.partition([['n4'], ['n1', 'n2', 'n3', 'n5']]);
    },
    blocks: ['n1|n4', 'n1|n5', 'n2|n4', 'n2|n5', 'n3|n4', 'n3|n5', 'n4|n5'],
  },
  {
    name: 'a partition that one end was healed of',
    faults: (network) => {
      network.partition([
        ['n1', 'n2'],
        ['n3', 'n4', 'n5'],
      ]);
      network.heal(['n3', 'n4']);
    },
    blocks: ['n1|n5', 'n2|n5'],
  },
  {
    name: 'cuts that one end was healed of, in both directions',
    faults: (network) => {
      network.cut('n1', 'n2');
      network.cut('n2', 'n1');
      network.cut('n2', 'n3');
      network.cut('n3', 'n4');
      network.heal(['n2']);
    },
    blocks: ['n3>n4'],
  },
  {
    name: 'everything, healed',
    faults: (network) => {
      network.partition([['n1'], ['n2']]);
      network.cut('n3', 'n4');
      network.heal('all');
    },
    blocks: [],
  },
])('$name blocks $blocks', ({ faults, blocks }) => {
  const network = networkOf();
  network.addEnds(...ENDS);
  const early = network.link('n1', 'n2');
  faults(network);
  expect(blocked(network)).toEqual(blocks);
  // All the ways to ask agree, on links made before and after.
  expect(early.deliverable).toBe(network.reachable('n1', 'n2'));
  const pairs = new Set(network.blockedPairs().map((pair) => pair.join()));
  for (const from of ENDS)
    for (const to of ENDS) {
      expect(network.reachable(from, to)).toBe(!pairs.has([from, to].join()));
      expect(network.deliverable(from, to)).toBe(network.reachable(from, to));
      expect(network.send(from, to, 'c', 0)).toHaveLength(network.reachable(from, to) ? 1 : 0);
    }
});

test('a message under way is caught by a partition that stands when it arrives, not by one that is over', () => {
  const network = networkOf();
  const link = network.link('n1', 'n2');
  expect(link.send('c', 0)).toHaveLength(1);
  network.partition([['n1'], ['n2']]);
  expect([link.deliverable, network.deliverable('n1', 'n2')]).toEqual([false, false]);
  network.heal('all');
  expect([link.deliverable, network.deliverable('n1', 'n2')]).toEqual([true, true]);
});

test('an end that is added later is on the side of the others', () => {
  const network = networkOf();
  network.partition([['n1'], ['n2']]);
  network.send('n3', 'n4', 'c', 0);
  expect(blocked(network)).toEqual(['n1|n2', 'n1|n3', 'n1|n4', 'n2|n3', 'n2|n4']);
});

test('a partition that keeps nobody apart any more does not catch an end that is added later', () => {
  const network = networkOf();
  network.partition([['n1', 'n2'], ['n3']]);
  network.heal(['n3']);
  expect(network.reachable('n4', 'n1')).toBe(true);
});

test('asking makes no end known', () => {
  const network = networkOf();
  network.partition([['n1']]);
  expect(network.reachable('n1', 'stranger')).toBe(false);
  expect(network.blockedPairs()).toEqual([]);
});

test('one end cannot be on both sides, and the mistake changes nothing', () => {
  const network = networkOf();
  network.addEnds(...ENDS);
  expect(() => network.partition([['n1', 'n2'], ['n2']])).toThrow(RangeError);
  expect(network.blockedPairs()).toEqual([]);
});

test('an end always reaches itself', () => {
  const network = networkOf();
  network.partition([['n1'], ['n2']]);
  network.cut('n1', 'n1');
  expect(network.reachable('n1', 'n1')).toBe(true);
});

test('fifty ends are no trouble', () => {
  const network = networkOf();
  const ends = range(50).map((i) => `n${i}`);
  for (const from of ends) for (const to of ends) if (from !== to) network.send(from, to, 'c', 0);
  network.partition([ends.slice(0, 25), ends.slice(25)]);
  expect(network.blockedPairs()).toHaveLength(2 * 25 * 25);
});

// --- ends that stand where another stands -----------------------------------------------------------------------------

test('an end placed at another shares its walls and its links, and there is no distance between the two', () => {
  const network = networkOf({ latencyMs: [2, 2] });
  network.place('c', 'n1');
  const [there, back] = [network.link('c', 'n2'), network.link('n2', 'c')];
  expect(there.send('x', 0)).toEqual([2 * MS]);
  expect(network.send('c', 'n1', 'x', 0)).toEqual([0]);
  network.setLink('n1', 'n2', { latencyMs: [9, 9] });
  expect(there.send('x', 10 * MS)).toEqual([19 * MS]);
  expect(back.settings.latencyMs).toEqual([2, 2]);
  network.partition([['n1'], ['n2']]);
  expect([there.deliverable, back.deliverable, network.reachable('c', 'n1')]).toEqual([false, false, true]);
  network.heal('all');
  expect([there.deliverable, there.settings.latencyMs]).toEqual([true, [2, 2]]);
  network.cut('n2', 'n1');
  expect([there.deliverable, back.deliverable]).toEqual([true, false]);
  expect(network.blockedPairs()).toEqual([['n2', 'n1']]);
});

test('a link that is made late has the settings of the place at once', () => {
  const network = networkOf({ latencyMs: [2, 2] });
  network.setLink('n1', 'n2', { latencyMs: [9, 9] });
  network.cut('n1', 'n3');
  network.place('c', 'n1');
  expect(network.send('c', 'n2', 'x', 0)).toEqual([9 * MS]);
  expect(network.send('c', 'n3', 'x', 0)).toEqual([]);
});

test('what a placed end sends shifts nothing on the links of the end where it stands', () => {
  const draws = (withClient: boolean) => {
    const network = networkOf({ latencyMs: [0, 100] });
    if (withClient) {
      network.place('c', 'n1');
      for (let i = 0; i < 10; i++) network.send('c', 'n2', 'x', i);
    }
    return sendMany(network, 20);
  };
  expect(draws(true)).toEqual(draws(false));
});

test('a stream loses nothing: what is lost arrives later, once and in order', () => {
  const network = new Network(Random.fromSeed(7), { latencyMs: [1, 2], loss: 0.5, duplicate: 1, reorder: 1 });
  const link = network.link('n1', 'n2');
  const arrivals = range(1_000).map((i) => link.sendStream('fetch', i * 10)!);
  expect(arrivals.every((at, i) => at >= i * 10 + 1_000)).toBe(true);
  expect(arrivals).toEqual([...arrivals].sort((a, b) => a - b));
  expect(arrivals.some((at, i) => at >= i * 10 + 600_000)).toBe(true);
});

test('a stream over a link that loses everything, or is blocked, does not arrive', () => {
  const network = new Network(Random.fromSeed(7), { loss: 1 });
  expect(network.link('n1', 'n2').sendStream('fetch', 0)).toBeUndefined();
  network.setDefaults({ loss: 0 });
  network.cut('n1', 'n2');
  expect(network.link('n1', 'n2').sendStream('fetch', 0)).toBeUndefined();
  network.heal('all');
  expect(network.link('n1', 'n2').sendStream('fetch', 0)).toBeGreaterThan(0);
});

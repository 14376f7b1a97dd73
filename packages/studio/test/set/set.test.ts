import type { ReplSetConfig } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { type MemberAt, unseen } from '../../src/core/history/memberAt.ts';
import { refusalOf } from '../../src/core/history/traffic.ts';
import { labelOf } from '../../src/set/memberLabel.ts';
import { memberText } from '../../src/set/memberText.ts';
import { type Places, ringPlaces, rowPlaces } from '../../src/set/places.ts';
import { sidesOf } from '../../src/set/sides.ts';

const names = (count: number) => Array.from({ length: count }, (_, i) => `n${i + 1}`);

/** Pairs of members that touch, and members that are not whole in the picture. */
function troubles({ of, tile, width, height }: Places): string[] {
  const all = [...of];
  const overlaps = all.flatMap(([one, a], i) =>
    all
      .slice(i + 1)
      .filter(([, b]) => Math.abs(a.x - b.x) < tile.width && Math.abs(a.y - b.y) < tile.above + tile.below)
      .map(([other]) => `${one} ${other}`),
  );
  const outside = all.filter(
    ([, { x, y }]) => x < tile.width / 2 || x > width - tile.width / 2 || y < tile.above || y > height - tile.below,
  );
  return [...overlaps, ...outside.map(([name]) => name)];
}

describe.each([350, 460, 620, 1100])('in %d pixels', (width) => {
  test.for(Array.from({ length: 50 }, (_, i) => i + 1))('%d members have room', (count) => {
    expect(troubles(ringPlaces(names(count), { width }))).toEqual([]);
    expect(troubles(ringPlaces(names(count), { width, height: 500 }))).toEqual([]);
    const half = Math.ceil(count / 2);
    const groups = new Map([
      ['dc: east', names(count).slice(0, half)],
      ['dc: west', names(count).slice(half)],
    ]);
    expect(troubles(rowPlaces(groups, { width }))).toEqual([]);
  });
});

describe.each([
  // A telephone, the page at its usual size, and one that is lower still. As many as there is room for, of a side that is not large.
  [366, 200, [1, 2, 3, 4, 5]],
  [700, 300, [1, 2, 3, 5, 7, 9, 20, 30]],
  [700, 400, [1, 2, 3, 5, 7, 12, 50]],
] as const)('%d by %d pixels', (width, height, counts) => {
  test.for(counts)('hold %d members, all of them whole', (count) => {
    const places = ringPlaces(names(count), { width, height });
    expect(places.height).toBe(height);
    expect(troubles(places)).toEqual([]);
  });
});

test('members are as large as the height lets them be', () => {
  const scaleIn = (count: number, height?: number) => ringPlaces(names(count), { width: 366, height }).tile.scale;
  expect([scaleIn(3), scaleIn(3, 700), scaleIn(3, 250)]).toEqual(['portrait', 'portrait', 'small']);
  expect([scaleIn(5, 360), scaleIn(5, 250)]).toEqual(['small', 'chip']);
});

describe('sides', () => {
  const both = (one: string, other: string) =>
    [
      [one, other],
      [other, one],
    ] as const;

  test('are all together, unless nothing gets through in either direction', () => {
    expect(sidesOf(names(3), [])).toEqual([['n1', 'n2', 'n3']]);
    expect(
      sidesOf(names(3), [
        ['n1', 'n2'],
        ['n1', 'n3'],
      ]),
    ).toEqual([['n1', 'n2', 'n3']]);
    expect(sidesOf(names(3), [...both('n1', 'n2'), ...both('n1', 'n3')])).toEqual([['n1'], ['n2', 'n3']]);
  });

  test('who is reached by another is on its side', () => {
    expect(sidesOf(names(3), both('n1', 'n2'))).toEqual([['n1', 'n3', 'n2']]);
  });
});

describe('what is said of a member', () => {
  const place = {
    _id: 0,
    host: 'n1:27017',
    arbiterOnly: false,
    buildIndexes: true,
    hidden: true,
    priority: 0,
    tags: { dc: 'east' },
    secondaryDelaySecs: 3600,
    votes: 1,
  } as const;
  const config = { version: 3, term: 2, members: [place] } as unknown as ReplSetConfig;
  const running: MemberAt = { ...unseen('n1'), process: 'running', state: 'SECONDARY', term: 2, config };
  const said = (member: MemberAt) =>
    labelOf('n1', memberText(member, [member], 20e6, 0).state, memberText(member, [member], 20e6, 0));
  const asleep = { phase: 'sleeping', wakeMicros: 60_001_000 } as const;

  test('its place in the config', () => {
    expect(said(running)).toBe(
      'n1 SECONDARY; hidden, delayed 1h; term 2; votes 1 · priority 0; config 3 of term 2; TTL monitor off; dc: east',
    );
  });

  test.for<[Partial<MemberAt>, string]>([
    [{ electionDue: { dueMicros: 22_461_000 } }, 'term 2; stands at 22.461s or later; votes'],
    [
      { electionDue: { dueMicros: 23_942_000, drawnMicros: 1_481_108 } },
      'term 2; stands at 23.942s; 1.481s of its wait is random; votes',
    ],
    [{ votes: { votes: 1, needed: 2, dryRun: true } }, 'term 2; dry run: 1 of 2 needed; votes'],
    [{ votes: { votes: 1, needed: 2, dryRun: false } }, 'term 2; election: 1 of 2 needed; votes'],
    [{ answered: { candidate: 'n2:27017', term: 1, dryRun: true, granted: true } }, '; yes to n2 in a dry run; votes'],
    [{ answered: { candidate: 'n2:27017', term: 2, dryRun: false, granted: false } }, '; no to n2 in term 2; votes'],
    [{ ttl: asleep }, 'TTL asleep to 60.001s; may not: not primary'],
    [{ ttl: asleep, state: 'PRIMARY' }, 'TTL asleep to 60.001s; may not: not yet writable'],
    [{ ttl: asleep, state: 'PRIMARY', acceptsWrites: true }, 'TTL asleep to 60.001s;'],
    [{ ttl: { phase: 'inPass' }, state: 'PRIMARY', acceptsWrites: true }, 'TTL in a pass;'],
    [{ ttl: { ...asleep, disabled: true } }, 'TTL asleep to 60.001s; disabled by its parameter'],
    [{ ttl: asleep, held: ['ttl'] }, 'held: ttl; TTL held'],
    [{ ttlBarred: true, standalone: true, state: 'STANDALONE' }, 'TTL monitor off; a set’s data, and no set'],
    [{ clockJumpedMs: 60_000 }, 'clock +60 s'],
    [{ clockJumpedMs: -1500 }, 'clock -1.5 s'],
    [{ process: 'paused', ttl: asleep }, 'n1 paused;'],
  ])('%o', ([change, text]) => {
    expect(`${said({ ...running, ...change })};`).toContain(text);
  });
});

test.for([
  ['vote reply: Connection refused', 'Connection refused'],
  ['fetch reply: Connection closed by peer', 'Connection closed by peer'],
  ['vote reply', undefined],
  ['fetch reply: CursorNotFound', undefined],
  ['replSetRequestVotes', undefined],
] as const)('%s is a refusal of nobody, or an answer', ([what, refusal]) => {
  expect(refusalOf({ what })).toBe(refusal);
});

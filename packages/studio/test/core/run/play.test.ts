import { readFileSync } from 'node:fs';
import { traceLine } from '@replsim/scenario';
import { describe, expect, test } from 'vitest';
import { ScenarioPlayer, SLICE_EVENTS } from '../../../src/core/run/play.ts';
import type { Played, Slice } from '../../../src/core/run/player.ts';
import { Packer, Unpacker } from '../../../src/core/run/wire.ts';

const read = (file: string) =>
  readFileSync(new URL(`../../../../../scenarios/${file}.yaml`, import.meta.url), { encoding: 'utf8' });

async function playedAll(
  text: string,
  seed?: number,
): Promise<{ player: ScenarioPlayer; slices: readonly Slice[]; played: Played }> {
  const player = new ScenarioPlayer();
  const slices: Slice[] = [];
  const played = await player.play(text, seed, (slice) => void slices.push(slice));
  return { player, slices, played };
}

describe('a failover', async () => {
  const { player, slices, played } = await playedAll(read('election/failover-on-kill'));
  const events = slices.flatMap((slice) => slice.events);
  const lines = slices.flatMap((slice) => slice.lines);

  test('comes in slices, and says how it ended', () => {
    expect(slices.length).toBeGreaterThan(1);
    expect(slices.slice(0, -1).map((slice) => slice.events.length)).toEqual(
      slices.slice(0, -1).map(() => SLICE_EVENTS),
    );
    expect(played).toMatchObject({ kind: 'played', ok: true, seed: 1 });
    expect(events[0]).toMatchObject({ type: 'runStarted' });
    expect(events.at(-1)).toMatchObject({ type: 'runEnded', held: true });
  });

  test('each line stands where what it tells has happened', () => {
    const killed = lines.find(({ text }) => /^n1 is killed|^n1 killed/.test(text))!;
    expect(killed).toMatchObject({ member: 'n1' });
    const before = events.slice(0, killed.events);
    expect(before.at(-1)!.atMicros).toBe(killed.atMicros);
    expect(before).toContainEqual(expect.objectContaining({ type: 'processStopped', member: 'n1', how: 'killed' }));
    expect(lines.map(({ atMicros }) => atMicros)).toEqual(lines.map(({ atMicros }) => atMicros).sort((a, b) => a - b));
  });

  test('why there was no primary, at an instant', async () => {
    const reasons = await player.why({ kind: 'primary', atMicros: 15e6 });
    expect(reasons.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^n1 is down: killed at/));
    const [{ turn, atMicros } = { turn: 0, atMicros: 0 }] = reasons;
    expect(atMicros).toBe(15e6);
    expect(turn).toBeGreaterThan(0);
  });

  test('why somebody was elected: back to the kill', async () => {
    const won = events.findLastIndex(({ type }) => type === 'electionWon');
    const turn = events.slice(0, won).findLast((event) => event.type === 'turn')!.turn;
    const chain = await player.why({ kind: 'event', turn });
    expect(chain[0]).toMatchObject({ turn });
    expect(chain.at(-1)!.text).toMatch(/kill/);
    expect(await player.why({ kind: 'event', turn: 1e9 })).toEqual([]);
  });

  test('another seed is another run', async () => {
    const other = await playedAll(read('election/failover-on-kill'), 2);
    expect(other.played).toMatchObject({ seed: 2 });
    expect(other.slices.flatMap((slice) => slice.events.map(traceLine))).not.toEqual(events.map(traceLine));
  });
});

test('a step that fails is said in a line and in full', async () => {
  const { played } = await playedAll(`name: It will not hold\nsteps:\n  - expect: { primary: n1 }\n`);
  expect(played).toMatchObject({ kind: 'played', ok: false });
  expect(played.kind === 'played' && played.failure?.title).toMatch(/^step 1, line 3/);
  expect(played.kind === 'played' && played.failure?.detail).toMatch(/^asked: /);
});

test('mistakes have their places, and leave the last run to be asked about', async () => {
  const player = new ScenarioPlayer();
  await player.play(read('election/failover-on-kill'), undefined, () => {});
  const slices: Slice[] = [];
  const played = await player.play(
    'name: It is misspelt\nsteps:\n  - kil: n1\n',
    undefined,
    (slice) => void slices.push(slice),
  );
  expect(played).toMatchObject({ kind: 'mistakes', mistakes: [{ line: 3, column: 5 }] });
  expect(played.kind === 'mistakes' && played.mistakes[0]).toMatchObject({
    suggestion: expect.stringContaining('kill'),
  });
  expect(slices).toEqual([]);
  expect(await player.why({ kind: 'primary', atMicros: 15e6 })).not.toEqual([]);
});

test('nothing was played: there is nothing to say', async () => {
  expect(await new ScenarioPlayer().why({ kind: 'write', atMicros: 0 })).toEqual([]);
});

test.for([
  'rollback/files-keep-what-is-taken-away',
  'election/log-tells-a-failover',
  'concerns/retry-after-a-rollback',
])('%s: a run is the same on the other side of a structured clone, entries shared', async (file) => {
  const { slices } = await playedAll(read(file));
  const packer = new Packer();
  const unpacker = new Unpacker();
  const arrived = slices.map((slice) => unpacker.unpack(structuredClone(packer.pack(slice))));
  expect(arrived.map(({ lines }) => lines)).toEqual(slices.map(({ lines }) => lines));
  const before = slices.flatMap(({ events }) => events);
  const after = arrived.flatMap(({ events }) => events);
  expect(after.map(traceLine)).toEqual(before.map(traceLine));
  const entriesOf = (events: Slice['events']) =>
    new Set(events.flatMap((event) => (event.type === 'oplogWritten' ? event.entries : []))).size;
  expect(entriesOf(after)).toBe(entriesOf(before));
});

test('a run that is compared goes on behind a check that fails', async () => {
  const text = read('election/failover-on-kill').replace(
    '[n1, n2, n3]',
    '[n1, n2, n3], settings: { electionTimeoutMillis: 2000 }',
  );
  const ends = async (playsOn: boolean) => {
    const kinds: string[] = [];
    const played = await new ScenarioPlayer().play(
      text,
      1,
      ({ events }) => void kinds.push(...events.map(({ type }) => type)),
      playsOn,
    );
    expect(played).toMatchObject({ kind: 'played', ok: false });
    return kinds.filter((type) => type === 'processStarted').length;
  };
  expect(await ends(false)).toBe(3);
  expect(await ends(true)).toBe(4);
});

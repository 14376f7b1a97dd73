import { readFileSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { ScenarioPlayer } from '../../../src/core/run/play.ts';
import type { StoryLine } from '../../../src/core/run/player.ts';

async function told(file: string) {
  const text = readFileSync(new URL(`../../../../../scenarios/${file}.yaml`, import.meta.url), 'utf8');
  const lines: StoryLine[] = [];
  const events: TraceEvent[] = [];
  const player = new ScenarioPlayer();
  await player.play(text, undefined, (slice) => {
    lines.push(...slice.lines);
    events.push(...slice.events);
  });
  return { player, lines, events };
}

/** What lines of a kind look like; lines of other kinds never do. */
const LOOKS: Readonly<Record<string, RegExp>> = {
  elections: / (stands for election|wins term|votes for|would vote for|is SECONDARY)/,
  checks: /^[=!] (?!it fails)/,
  TTL: / ttl pass/,
  faults: /^(network|\S+ is killed)/,
  writes: /^\S+ writes /,
  clients: /^client /,
  steps: /^> /,
};

test.for([
  'election/failover-on-kill',
  'rollback/files-keep-what-is-taken-away',
  'ttl/failover-moves-ttl',
  'clients/three-failovers-in-a-row',
])('%s: each line is of the kind that it looks like', async (file) => {
  const { lines } = await told(file);
  expect(lines.length).toBeGreaterThan(20);
  for (const { kind, text } of lines)
    for (const [looked, look] of Object.entries(LOOKS))
      if (look.test(text)) expect(`${kind}: ${text}`).toBe(`${looked}: ${text}`);
});

test('a line knows the turn that it came of, which can be asked why', async () => {
  const { player, lines, events } = await told('election/failover-on-kill');
  const wins = lines.find(({ text }) => text.startsWith('n2 wins term 2'));
  expect(events.find((event) => event.type === 'turn' && event.turn === wins?.turn)).toMatchObject({ member: 'n2' });
  const why = await player.why({ kind: 'event', turn: wins?.turn ?? 0 });
  expect(why.map(({ text }) => text).join('\n')).toMatch(/wins term 2/);
});

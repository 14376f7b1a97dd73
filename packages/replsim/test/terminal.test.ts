import { expect, test } from 'vitest';
import { drawsOver, showsColours } from '../src/terminal.ts';

test.for([
  { env: {}, isTerminal: true, colours: true, draws: true },
  { env: {}, isTerminal: false, colours: false, draws: false },
  { env: { TERM: 'dumb' }, isTerminal: true, colours: false, draws: false },
  { env: { TERM: 'xterm-256color' }, isTerminal: true, colours: true, draws: true },
  { env: { NO_COLOR: '1' }, isTerminal: true, colours: false, draws: true },
  { env: { NO_COLOR: '' }, isTerminal: true, colours: true, draws: true },
  { env: { FORCE_COLOR: '1' }, isTerminal: false, colours: true, draws: false },
  { env: { FORCE_COLOR: '1', TERM: 'dumb' }, isTerminal: true, colours: true, draws: false },
  { env: { FORCE_COLOR: '1', NO_COLOR: '1' }, isTerminal: true, colours: false, draws: true },
])('$env, terminal: $isTerminal', ({ env, isTerminal, colours, draws }) => {
  expect(showsColours(env, isTerminal)).toBe(colours);
  expect(drawsOver(env, isTerminal)).toBe(draws);
});

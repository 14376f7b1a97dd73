import type { MemberAt } from '../core/history/memberAt.ts';
import type { Layout } from './layout.ts';
import type { MemberText } from './memberText.ts';

/** What a room of a size has room for. */
export function roomText(member: MemberAt, text: MemberText, size: Layout['size']): string {
  if (size === 'chip') return `${LETTERS[member.state] ?? member.state.slice(0, 3)} t${member.term}`;
  const state = text.role ? `${text.state} · ${text.role}` : text.state;
  if (size === 'medium') return [state, ...present([text.standing, text.held ?? atText(text)])].join('\n');
  const lines = [
    text.election,
    text.standing,
    `${text.term} · ${text.config.replace(' of term ', ' t')}`,
    text.applied && `applied ${text.applied}`,
    text.majority && `majority ${text.majority}`,
    text.clock ?? text.held,
    text.ttl?.replace('until', 'to'),
    text.ttlBar,
  ];
  return [state, ...present(lines).slice(0, 7)].join('\n');
}

function atText({ term, applied }: MemberText): string {
  return applied ? `${term} · at ${applied}` : term;
}

function present(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.filter((text): text is string => text !== undefined && text !== '');
}

/** Of a state in a chip. */
const LETTERS: Readonly<Record<string, string>> = {
  PRIMARY: 'PRI',
  SECONDARY: 'SEC',
  ARBITER: 'ARB',
  RECOVERING: 'REC',
  ROLLBACK: 'ROLL',
  STARTUP: 'START',
  STARTUP2: 'SYNC',
  DOWN: 'DOWN',
};

/** What is written in a room, as that has to begin with, and then all that it has no room for. */
export function roomLabel(name: string, written: string, text: MemberText): string {
  const { role, election, waits, standing, term, config, clock, applied, majority, held, ttl, ttlBar, tags } = text;
  const seen = `${name} ${written.replaceAll('\n', ' ')}`;
  const parts = [
    role,
    term,
    election,
    waits,
    standing,
    config,
    clock,
    applied && `applied ${applied}`,
    majority && `majority ${majority}`,
    held,
    ttl?.replace('until', 'to'),
    ttlBar,
    tags,
  ];
  return [seen, ...present(parts).filter((part) => !seen.includes(part))].join('; ');
}

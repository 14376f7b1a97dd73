import type { MemberAt } from '../core/history/memberAt.ts';
import { type MemberText, memberText } from './memberText.ts';

/** All that is known of a member in one line: for who cannot see the picture, and for who points at it. */
export function memberLabel(
  member: MemberAt,
  members: readonly MemberAt[],
  sides: readonly (readonly string[])[],
  atMicros: number,
  epochSecs: number,
): string {
  const text = memberText(member, members, atMicros, epochSecs);
  const state = text.role ? `${text.state} · ${text.role}` : text.state;
  const side = sides.length > 1 ? ` side ${sides.findIndex((each) => each.includes(member.name)) + 1}` : '';
  return labelOf(member.name, `${state}${side}`, text);
}

/** What is seen first, and then all that has no room. */
export function labelOf(name: string, written: string, text: MemberText): string {
  const { role, election, waits, standing, term, config, clock, applied, majority, held, ttl, ttlBar, tags } = text;
  const seen = `${name} ${written}`;
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

function present(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.filter((text): text is string => text !== undefined && text !== '');
}

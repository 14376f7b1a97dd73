import type { ReactNode } from 'react';
import type { MemberAt } from '../core/history/memberAt.ts';
import type { MemberText } from './memberText.ts';

interface Props {
  readonly member: MemberAt;
  readonly text: MemberText;
}

/** All that is known of a member: small rooms have no room for it. */
export function MemberFacts({ member, text }: Props): ReactNode {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['state', text.role ? `${text.state}, ${text.role}` : text.state],
    ['term', text.term.replace('term ', '')],
    ['election', text.election],
    ['waits', text.waits],
    ['standing', text.standing],
    ['config', text.config],
    ['clock', text.clock?.replace('clock ', '') ?? 'right'],
    ['last applied', text.applied],
    ['commit point', text.majority],
    ['fetches from', member.syncSource?.replace(/:27017$/, '')],
    ['held', member.held.length > 0 ? member.held.join(', ') : undefined],
    ['TTL', text.ttl && (text.ttlBar ? `${text.ttl}; ${text.ttlBar}` : text.ttl)],
    ['tags', text.tags],
  ];
  return (
    <dl className="facts" aria-label={`What is known of ${member.name}`}>
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

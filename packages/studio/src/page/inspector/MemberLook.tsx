import type { ReactNode } from 'react';
import { MemberFacts } from '../../set/MemberFacts.tsx';
import { memberText } from '../../set/memberText.ts';
import { usePage } from '../context.ts';
import { AskOperation } from '../why/AskOperation.tsx';

/** What is known of the selected member, or how the set stands. */
export function MemberLook(): ReactNode {
  const { moment, member, guide, atMicros } = usePage();
  const { members } = moment;
  const { epochSecs } = guide.seen.history;
  const only = members.find(({ name }) => name === member);
  return (
    <>
      {only ? (
        <MemberFacts member={only} text={memberText(only, members, atMicros, epochSecs)} />
      ) : (
        <p className="hint empty">Click a member or a link between two, to act on it and to ask why it is as it is.</p>
      )}
      <AskOperation />
    </>
  );
}

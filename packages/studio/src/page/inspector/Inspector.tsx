import { type ReactNode, useLayoutEffect, useState } from 'react';
import { Compare } from '../compare/Compare.tsx';
import { useActions, usePage } from '../context.ts';
import { type Tab, Tabs } from '../controls/Tabs.tsx';
import { DocumentLook } from '../data/DocumentLook.tsx';
import { DocumentsView } from '../data/DocumentsView.tsx';
import { ExpiryView } from '../data/ExpiryView.tsx';
import { lookInFocus } from '../lesson/LessonReading.tsx';
import { Story } from '../lesson/Story.tsx';
import { EntryLook } from '../oplog/EntryLook.tsx';
import type { Look } from '../state.ts';
import { Reasons } from '../why/Reasons.tsx';
import { LogView } from './LogView.tsx';
import { MemberLook } from './MemberLook.tsx';
import { StatusView } from './StatusView.tsx';
import { VoteLook } from './VoteLook.tsx';

/** A closer look at what is selected, and above it the answer to what was asked of it. */
export function Inspector(): ReactNode {
  const page = usePage();
  const { look } = useActions();
  const { state, guide } = page;
  const wanted = lookInFocus(guide);
  // Before anything else can happen: a tab that somebody chooses at this moment stays chosen.
  useLayoutEffect(() => {
    if (wanted !== undefined) look(wanted);
  }, [wanted, look]);
  const tabs = useLooks();
  return (
    <section className="panel inspector" aria-label="A closer look">
      <Tabs label="What is looked at" tabs={tabs} chosen={state.look} onChoose={(id) => look(id as Look)}>
        <Reasons />
      </Tabs>
    </section>
  );
}

/** What there is to look at; members of a live set are not asked. */
function useLooks(): readonly Tab[] {
  const { live, guide, compare, member } = usePage();
  const [ns, setNs] = useState<string>();
  const looks: (Tab & { readonly id: Look })[] = [
    { id: 'member', name: 'member', panel: <MemberLook /> },
    ...(live ? [] : [{ id: 'document', name: 'document', panel: <DocumentLook /> } as const]),
    { id: 'entry', name: 'entry', panel: <EntryLook /> },
    { id: 'vote', name: 'vote', panel: <VoteLook /> },
  ];
  if (compare.isOn) looks.unshift({ id: 'compare', name: 'two runs', panel: <Compare /> });
  if (guide.reading !== 'free') looks.push({ id: 'story', name: 'story', panel: <Story {...guide.seen} /> });
  if (live) return looks;
  return [
    ...looks,
    { id: 'data', name: 'data', panel: <DocumentsView ns={ns} onChoose={setNs} /> },
    { id: 'expiry', name: 'expiry', panel: <ExpiryView /> },
    { id: 'status', name: 'rs.status()', panel: member === undefined ? <NoMember /> : <StatusView member={member} /> },
    {
      id: 'log',
      name: 'log',
      panel: member === undefined ? <NoMember /> : <LogView key={member} member={member} />,
    },
  ];
}

function NoMember(): ReactNode {
  return <p className="hint empty">Select one member of the set to see what it says.</p>;
}

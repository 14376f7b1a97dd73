import { useState } from 'react';
import type { History } from '../../core/history/history.ts';
import type { Played, Player, Question } from '../../core/run/player.ts';
import { DocumentsView } from '../data/DocumentsView.tsx';
import { ExpiryView } from '../data/ExpiryView.tsx';
import type { Tab } from '../Tabs.tsx';
import { LogView } from './LogView.tsx';
import { StatusView } from './StatusView.tsx';

interface Given {
  readonly player: Player;
  readonly run: Played | undefined;
  readonly history: History;
  readonly atMicros: number;
  /** The one that is selected. */
  readonly member: string | undefined;
  readonly onGo: (atMicros: number) => void;
  readonly onAsk: (question: Question) => void;
}

/** What is looked up in the members themselves: their data, what one of them says, what expires. */
export function useLookTabs({ player, run, history, atMicros, member, onGo, onAsk }: Given): readonly Tab[] {
  const [ns, setNs] = useState<string>();
  const asked = { player, run, atMicros };
  return [
    { name: 'data', panel: <DocumentsView {...asked} ns={ns} onChoose={setNs} onAsk={onAsk} /> },
    {
      name: 'member',
      panel:
        member === undefined ? (
          <p className="hint">Select one member of the set to see its view of the set and its log.</p>
        ) : (
          <>
            <StatusView {...asked} member={member} />
            <LogView key={member} history={history} member={member} atMicros={atMicros} onGo={onGo} />
          </>
        ),
    },
    { name: 'expiry', panel: <ExpiryView {...asked} history={history} onAsk={onAsk} /> },
  ];
}

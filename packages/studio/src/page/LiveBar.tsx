import { formatInstant } from '@replsim/kernel';
import { type ReactNode, useSyncExternalStore } from 'react';
import type { LiveSet } from '../core/live/liveSet.ts';
import { useActions, usePage } from './context.ts';
import { Button } from './controls/Button.tsx';

/** How it stands with a live set, what of it is here no more, and what turns its clock. */
export function LiveBar({ live }: { readonly live: LiveSet }): ReactNode {
  const { instant } = usePage();
  const { refuse } = useActions();
  const { link, told, forgotten, forgottenMicros } = useSyncExternalStore(live.subscribe, () => live.state);
  const advance = (span: string) => void live.send({ command: { replsimAdvance: span } }).then(refuse);
  return (
    <>
      <output className={`verdict ${link === 'live' ? 'held' : link === 'opening' ? '' : 'failed'}`}>{told}</output>
      {instant.isNow ? (
        <span>shows now</span>
      ) : (
        <>
          <strong>shows the past</strong>
          <Button onClick={instant.follow}>live</Button>
        </>
      )}
      {link === 'live' && (
        <>
          <Button onClick={() => advance('10s')}>+ 10 s</Button>
          <Button onClick={() => advance('1m')}>+ 1 min</Button>
        </>
      )}
      {forgotten > 0 && (
        <strong className="verdict failed">
          {`The ${forgotten} events up to ${formatInstant(forgottenMicros)} are no longer kept. The page knows only how things stood at that time.`}
        </strong>
      )}
    </>
  );
}

import { formatInstant } from '@replsim/kernel';
import { type ReactNode, useSyncExternalStore } from 'react';
import type { LiveSet } from '../core/live/liveSet.ts';

interface Props {
  readonly live: LiveSet;
  /** Whether the page goes with the set. */
  readonly isNow: boolean;
  readonly onFollow: () => void;
  /** Of what was asked for here: why it was not done, or undefined. */
  readonly onFailed: (why: string | undefined) => void;
}

/** How it stands with a live set, what of it is here no more, and what turns its clock. */
export function LiveBar({ live, isNow, onFollow, onFailed }: Props): ReactNode {
  const { link, told, forgotten, forgottenMicros } = useSyncExternalStore(live.subscribe, () => live.state);
  const advance = (span: string) => void live.send({ command: { replsimAdvance: span } }).then(onFailed);
  return (
    <>
      <output className={`verdict ${link === 'live' ? 'held' : link === 'opening' ? '' : 'failed'}`}>{told}</output>
      {isNow ? (
        <span>shows now</span>
      ) : (
        <>
          <strong>shows the past</strong>
          <button type="button" onClick={onFollow}>
            live
          </button>
        </>
      )}
      {link === 'live' && (
        <>
          <button type="button" onClick={() => advance('10s')}>
            + 10 s
          </button>
          <button type="button" onClick={() => advance('1m')}>
            + 1 min
          </button>
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

import type { ReactNode } from 'react';
import type { LiveSet } from '../core/live/liveSet.ts';
import { LiveBar } from './LiveBar.tsx';
import type { Instant } from './time/useInstant.ts';
import type { Run } from './useRun.ts';
import { Verdict } from './Verdict.tsx';

interface Props {
  readonly run: Run;
  readonly live: LiveSet | undefined;
  readonly instant: Instant;
  /** Whether what came of the run may be told. */
  readonly showsVerdict: boolean;
  readonly seed: number | undefined;
  readonly onSeed: (seed: number | undefined) => void;
  readonly onFailed: (why: string | undefined) => void;
}

/** What is looked at, and what came of it; of a live set, whether it is followed. */
export function Head({ run, live, instant, showsVerdict, seed, onSeed, onFailed }: Props): ReactNode {
  const { played } = run;
  if (live)
    return (
      <>
        <h1>A live set</h1>
        <LiveBar live={live} isNow={instant.isNow} onFollow={instant.follow} onFailed={onFailed} />
      </>
    );
  return (
    <>
      <h1>{played?.kind === 'played' ? played.name : 'replsim studio'}</h1>
      {showsVerdict && <Verdict run={run} />}
      <label>
        seed{' '}
        <input
          type="number"
          min={0}
          value={seed ?? (played?.kind === 'played' ? played.seed : '')}
          onChange={({ target }) => onSeed(target.value === '' ? undefined : Number(target.value))}
        />
      </label>
    </>
  );
}

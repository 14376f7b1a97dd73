import { formatInstant } from '@replsim/kernel';
import type { ReactNode } from 'react';
import type { Looked } from './useLook.ts';

interface Props {
  readonly looked: Omit<Looked<never>, 'seen'> & { readonly seen: { readonly atMicros: number } | undefined };
  readonly children: ReactNode;
}

/** An answer of members with its instant; or that they are being asked, as a run of many events takes seconds. */
export function Answered({ looked: { seen, isBusy, failure }, children }: Props): ReactNode {
  return (
    <div aria-busy={isBusy} className={isBusy ? 'answered stale' : 'answered'}>
      <output className="hint">
        {isBusy ? 'Playing the run up to here and asking the members …' : ''}
        {!isBusy && failure}
        {!isBusy && !failure && seen && `What the members answer at ${formatInstant(seen.atMicros)}.`}
      </output>
      {!failure && children}
    </div>
  );
}

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
        {isBusy ? 'The run is played to here, and members are asked …' : ''}
        {!isBusy && failure}
        {!isBusy && !failure && seen && `As members answer at ${formatInstant(seen.atMicros)}.`}
      </output>
      {!failure && children}
    </div>
  );
}

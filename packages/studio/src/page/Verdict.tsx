import type { ReactNode } from 'react';
import type { Run } from './useRun.ts';

/** What came of the last run, or what is wrong with the text. */
export function Verdict({ run: { played } }: { readonly run: Run }): ReactNode {
  if (!played) return <output className="verdict">playing …</output>;
  if (played.kind === 'mistakes')
    return (
      <output className="verdict failed">{`${played.mistakes.length} mistakes in the text: the last run is still shown`}</output>
    );
  return played.ok ? (
    <output className="verdict held">all held</output>
  ) : (
    <output className="verdict failed" title={played.failure?.detail}>
      {played.failure?.title}
    </output>
  );
}

import { type ReactNode, useEffect, useState } from 'react';
import type { Difference } from '../../core/edit/differing.ts';
import type { SharedSecond } from '../../core/edit/fragment.ts';
import { CompareChoice } from './CompareChoice.tsx';
import { CompareTable } from './CompareTable.tsx';
import { CompareTexts } from './CompareTexts.tsx';
import { CompareWords } from './CompareWords.tsx';
import { type First, type Second, sharedDifference, useSecond } from './useSecond.ts';

interface Props {
  readonly first: First;
  /** What a link said of the second run. */
  readonly given: SharedSecond | undefined;
  /** Is told of the second run whenever it changes, and in the end that there is none. */
  readonly onSecond: (second: Second | undefined) => void;
  readonly onGo: (atMicros: number) => void;
}

/** A second run beside the first: in what it is to differ, and what came of that. */
export function Compare({ first, given, onSecond, onGo }: Props): ReactNode {
  const [difference, setDifference] = useState<Difference>(() =>
    given ? sharedDifference(first, given) : { kind: 'seed', seed: (first.seed ?? first.traced?.played.seed ?? 1) + 1 },
  );
  const second = useSecond(first, given, difference);
  useEffect(() => onSecond(second), [onSecond, second]);
  useEffect(() => () => onSecond(undefined), [onSecond]);
  const { shared, run, compared, cannot, note } = second;
  const mistakes = run.played?.kind === 'mistakes' ? run.played.mistakes : [];
  return (
    <section className="compare" aria-label="Two runs">
      <CompareChoice difference={difference} text={shared.text} onChoose={setDifference} />
      {cannot !== undefined && <output className="verdict failed">{`The second text is unchanged: ${cannot}.`}</output>}
      {note !== undefined && <p className="hint">{note}</p>}
      {mistakes.length > 0 && (
        <output className="verdict failed">
          {`The second text cannot be played: ${mistakes.map(({ line, message, suggestion }) => `line ${line}: ${[message, suggestion].filter(Boolean).join(': ')}`).join('; ')}`}
        </output>
      )}
      {compared ? (
        <>
          <CompareWords likeness={compared.comparison.likeness} onGo={onGo} />
          <CompareTable {...compared} />
        </>
      ) : (
        mistakes.length === 0 && <output>playing both …</output>
      )}
      <CompareTexts
        first={first.text}
        second={shared.text}
        mistakes={mistakes}
        onWrite={(text) => setDifference({ kind: 'text', text })}
      />
    </section>
  );
}

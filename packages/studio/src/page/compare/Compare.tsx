import type { ReactNode } from 'react';
import { beginningOf } from '../../core/edit/beginning.ts';
import { usePage } from '../context.ts';
import { CompareChoice } from './CompareChoice.tsx';
import { CompareTable } from './CompareTable.tsx';
import { CompareTexts } from './CompareTexts.tsx';
import { CompareWords } from './CompareWords.tsx';

/** A second run beside the first: in what it is to differ, and what came of that. */
export function Compare(): ReactNode {
  const { compare, state } = usePage();
  const { second } = compare;
  if (!second) return null;
  const { shared, run, compared, cannot, note, difference, choose } = second;
  const mistakes = run.played?.kind === 'mistakes' ? run.played.mistakes : [];
  return (
    <section className="compare" aria-label="Two runs">
      <CompareChoice
        difference={difference}
        text={shared.text}
        onChoose={choose}
        beginningOf={(kind) =>
          beginningOf(kind, { text: state.text, seed: state.seed, playedSeed: compare.traced?.played.seed })
        }
      />
      {cannot !== undefined && <output className="verdict failed">{`The second text is unchanged: ${cannot}.`}</output>}
      {note !== undefined && <p className="hint">{note}</p>}
      {mistakes.length > 0 && (
        <output className="verdict failed">
          {`The second text cannot be played: ${mistakes.map(({ line, message, suggestion }) => `line ${line}: ${[message, suggestion].filter(Boolean).join(': ')}`).join('; ')}`}
        </output>
      )}
      {compared ? (
        <>
          <CompareWords likeness={compared.comparison.likeness} />
          <CompareTable {...compared} />
        </>
      ) : (
        mistakes.length === 0 && <output>playing both …</output>
      )}
      <CompareTexts
        first={state.text}
        second={shared.text}
        mistakes={mistakes}
        onWrite={(text) => choose({ kind: 'text', text })}
      />
    </section>
  );
}

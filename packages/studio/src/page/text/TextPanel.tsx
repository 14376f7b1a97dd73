import type { ReactNode } from 'react';
import type { Page } from '../usePage.ts';
import { Editor } from './Editor.tsx';
import { LiveText } from './LiveText.tsx';

/** The scenario, or what was done to a live set. */
export function TextPanel({ page: { live, guide, run, text, edits } }: { readonly page: Page }): ReactNode {
  const { played } = run;
  return (
    <section className="text" aria-label={live ? 'What was done' : 'The scenario'}>
      {live ? (
        <LiveText live={live} />
      ) : guide.open ? (
        <p className="hint">
          The text would give away the answers. It appears when you have answered everything or left the lesson.
        </p>
      ) : (
        <Editor
          text={text}
          mistakes={played?.kind === 'mistakes' ? played.mistakes : NO_MISTAKES}
          onChange={edits.change}
          door={edits.editor}
          isForReading={guide.reading !== 'free'}
        />
      )}
    </section>
  );
}

const NO_MISTAKES: readonly never[] = [];

import { type ReactNode, type Ref, useEffect } from 'react';
import type { Mistake } from '../../core/run/player.ts';
import { Button } from '../controls/Button.tsx';
import { type EditorDoor, useTextEditor } from './useTextEditor.ts';

interface Props {
  readonly text: string;
  readonly mistakes: readonly Mistake[];
  readonly onChange: (text: string) => void;
  readonly door: Ref<EditorDoor>;
  /** What it is called, where that is not the scenario of the page. */
  readonly label?: string;
  /** Whether the text is only read until somebody goes there to write. */
  readonly isForReading?: boolean;
}

/** The scenario, which is all that the page knows; whatever is clicked is a line of it. It is there to be read before its editor is. */
export function Editor({ text, mistakes, onChange, door, label = 'The scenario', isForReading }: Props): ReactNode {
  const { editor, failure, want, place, plain } = useTextEditor({ text, label, onChange, isForReading }, door);
  useEffect(() => editor?.show(mistakes), [editor, mistakes]);
  return (
    <>
      {failure && (
        <p className="verdict failed">
          {failure} <Button onClick={want}>try again</Button>
        </p>
      )}
      {!editor && (
        <textarea
          ref={plain}
          className="plain-text"
          aria-label={label}
          readOnly
          value={text}
          rows={text.split('\n').length}
          // A click puts the cursor where it is to be only after that.
          onFocus={() => setTimeout(want)}
        />
      )}
      <div ref={place} />
    </>
  );
}

import FileCode from 'lucide-react/icons/file-code';
import GitCompare from 'lucide-react/icons/git-compare';
import Keyboard from 'lucide-react/icons/keyboard';
import Redo from 'lucide-react/icons/redo-2';
import Undo from 'lucide-react/icons/undo-2';
import type { ReactNode } from 'react';
import { useActions, useStillPage } from './context.ts';
import { IconButton } from './controls/Button.tsx';
import { Head } from './Head.tsx';
import { ReadingChoice } from './lesson/LessonReading.tsx';
import { PictureMenu } from './pictures/PictureMenu.tsx';
import { SchemeMenu } from './SchemeMenu.tsx';

/** What is looked at, how it is read, and the ways out. */
export function TopBar(): ReactNode {
  const { live, wayOut } = useStillPage();
  return (
    <header className="top">
      {wayOut?.back}
      <Head />
      {!live && <ReadingChoice />}
      <Tools />
    </header>
  );
}

function Tools(): ReactNode {
  const { live, canCompare, compare, state } = useStillPage();
  const actions = useActions();
  const { isTextOpen } = state;
  return (
    <div className="tools">
      {canCompare && (
        <IconButton label="compare" keys="c" isPressed={compare.isOn} onClick={actions.compare}>
          <GitCompare size={16} aria-hidden="true" />
        </IconButton>
      )}
      {!live && (
        <>
          <IconButton label="undo" keys="Ctrl Z" onClick={actions.undo}>
            <Undo size={16} aria-hidden="true" />
          </IconButton>
          <IconButton label="redo" keys="Ctrl Y" onClick={actions.redo}>
            <Redo size={16} aria-hidden="true" />
          </IconButton>
        </>
      )}
      <PictureMenu />
      <SchemeMenu />
      <IconButton label="keys" keys="?" onClick={actions.help}>
        <Keyboard size={16} aria-hidden="true" />
      </IconButton>
      <button
        type="button"
        className="button text-toggle"
        aria-pressed={isTextOpen}
        onClick={() => actions.openText(!isTextOpen)}
      >
        <FileCode size={16} aria-hidden="true" />
        {live ? 'what was done' : 'text'}
      </button>
    </div>
  );
}

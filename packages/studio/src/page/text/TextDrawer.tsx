import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { useActions, usePage } from '../context.ts';
import { IconButton } from '../controls/Button.tsx';
import { useNarrow } from '../useNarrow.ts';
import { Editor } from './Editor.tsx';
import { LiveText } from './LiveText.tsx';

/** The scenario, or what was done to a live set. It stays while it is closed, for clicks write into it. */
export function TextDrawer(): ReactNode {
  const { live, state } = usePage();
  const { openText } = useActions();
  const isNarrow = useNarrow();
  const isOpen = isNarrow ? state.pane === 'text' : state.isTextOpen;
  const name = live ? 'What was done' : 'The scenario';
  return (
    <aside className="drawer" data-open={isOpen} inert={!isOpen}>
      <section className="panel text" aria-label={name}>
        <div className="panel-head">
          <h2>{name}</h2>
          <IconButton label="close the text" onClick={() => openText(false)}>
            <X size={16} aria-hidden="true" />
          </IconButton>
        </div>
        <div className="panel-body">{live ? <LiveText live={live} /> : <ScenarioText />}</div>
      </section>
    </aside>
  );
}

function ScenarioText(): ReactNode {
  const { guide, run, state, edits } = usePage();
  const { played } = run;
  // What is asked is known when it is played: the text would give it away meanwhile.
  if (guide.reading !== 'free' && played === undefined) return null;
  if (guide.open)
    return (
      <p className="hint">
        The text would give away the answers. It appears when you have answered everything or left the lesson.
      </p>
    );
  return (
    <Editor
      text={state.text}
      mistakes={played?.kind === 'mistakes' ? played.mistakes : NO_MISTAKES}
      onChange={edits.change}
      door={edits.editor}
      isForReading={guide.reading !== 'free' || !(state.isTextOpen || state.pane === 'text')}
    />
  );
}

const NO_MISTAKES: readonly never[] = [];

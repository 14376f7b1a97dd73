import Plus from 'lucide-react/icons/plus';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import X from 'lucide-react/icons/x';
import { type ReactNode, useEffect } from 'react';
import { useActions, usePage } from '../context.ts';
import { Button, IconButton } from '../controls/Button.tsx';
import { isComparedBy } from './isComparedBy.ts';

/** So long the line that a click has added is seen beside the click. Unit: ms. */
const SEEN_MS = 7000;

/** What became of the last click, beside the click: its new line, why there is none, or what is wrong with the text now. */
export function Notices(): ReactNode {
  const { state, run, compare } = usePage();
  const { cannot } = state;
  const mistakes = run.played?.kind === 'mistakes' ? run.played.mistakes : [];
  return (
    <div className="notices">
      <AddedLine />
      {mistakes.length > 0 && <MistakeHere />}
      {cannot !== undefined && (
        <output className="notice bad">
          <TriangleAlert size={15} aria-hidden="true" />
          <span>{cannot}</span>
        </output>
      )}
      {compare.second && <p className="hint">{isComparedBy(compare.second)}</p>}
    </div>
  );
}

function AddedLine(): ReactNode {
  const { added } = usePage().state;
  const { forget, undo, openText } = useActions();
  const turn = added?.turn;
  useEffect(() => {
    if (turn === undefined) return;
    const seen = setTimeout(forget, SEEN_MS);
    return () => clearTimeout(seen);
  }, [turn, forget]);
  if (!added) return null;
  return (
    <div className="notice added" key={added.turn} role="status">
      <Plus size={15} aria-hidden="true" />
      <pre>{added.lines.join('\n')}</pre>
      <Button look="quiet" onClick={undo}>
        undo
      </Button>
      <Button look="quiet" onClick={() => openText(true)}>
        {`line ${added.line}`}
      </Button>
      <IconButton label="hide the new line" onClick={forget}>
        <X size={14} aria-hidden="true" />
      </IconButton>
    </div>
  );
}

function MistakeHere(): ReactNode {
  const { run } = usePage();
  const { openText, undo } = useActions();
  const mistakes = run.played?.kind === 'mistakes' ? run.played.mistakes : [];
  const [first] = mistakes;
  if (!first) return null;
  return (
    <div className="notice bad" role="alert">
      <TriangleAlert size={15} aria-hidden="true" />
      <span>
        <strong>{`Line ${first.line}: `}</strong>
        {[first.message, first.suggestion].filter(Boolean).join(': ')}
        {mistakes.length > 1 && ` (and ${mistakes.length - 1} more)`}
      </span>
      <Button look="quiet" onClick={() => openText(true)}>
        show the text
      </Button>
      <Button look="quiet" onClick={undo}>
        undo
      </Button>
    </div>
  );
}

import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { toFragment } from '../../core/edit/fragment.ts';
import { type LiveSet, PLAYED } from '../../core/live/liveSet.ts';
import { Button } from '../controls/Button.tsx';

/** So many of the newest lines are shown. */
const SHOWN = 300;

/** What came to a live set from outside, in the place of a scenario's text: what is clicked is a line of it, too. */
export function LiveText({ live }: { readonly live: LiveSet }): ReactNode {
  const { recording } = useSyncExternalStore(live.subscribe, () => live.state);
  const end = useRef<HTMLDivElement>(null);
  const { head, lines, isWhole } = recording;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the newest line
  useEffect(() => {
    if (end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [lines]);
  const take = () => {
    const { text, endMicros } = live.scenario();
    open(`${PLAYED}#${toFragment({ text, atMicros: endMicros })}`, '_blank', 'noopener');
  };
  const left = Math.max(lines.length - SHOWN, 0);
  return (
    <>
      <p className="hint">
        What came to the set from outside, as a recording has it; nobody can change what is done.{' '}
        {isWhole ? (
          <Button look="quiet" onClick={take}>
            use it as a scenario
          </Button>
        ) : (
          'The recording is incomplete, so it cannot repeat the run.'
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by the keyboard */}
      <div ref={end} className="recording" tabIndex={0} role="log" aria-label="The recording">
        <pre>{head}</pre>
        {left > 0 && <p className="hint">{`… ${left} lines are not shown here …`}</p>}
        <pre>{lines.slice(left).join('\n')}</pre>
      </div>
    </>
  );
}

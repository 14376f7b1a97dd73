import { formatInstant } from '@replsim/kernel';
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { countUpTo } from '../../core/history/search.ts';
import type { Question, StoryLine } from '../../core/run/player.ts';
import { STORY_KINDS, type StoryKind } from '../../core/run/storyKind.ts';

/** So many lines are shown at once, whatever their number. */
const SHOWN = 40;

interface Props {
  readonly lines: readonly StoryLine[];
  readonly atMicros: number;
  /** What is selected in the set is what is told, until somebody chooses otherwise. */
  readonly member: string | undefined;
  readonly members: readonly string[];
  readonly onGo: (atMicros: number) => void;
  readonly onAsk: (question: Question) => void;
}

/** The transcript, in step with the time, of a member and of some kinds; a click goes to the instant, or asks why. */
export function Story({ lines, atMicros, member, members, onGo, onAsk }: Props): ReactNode {
  const [chosen, setChosen] = useState<string>();
  const [hidden, setHidden] = useState<ReadonlySet<StoryKind>>(new Set());
  const of = chosen ?? member ?? '';
  const told = useMemo(() => toldOf(lines, of, hidden), [lines, of, hidden]);
  const current = countUpTo(told, (line) => line.atMicros, atMicros) - 1;
  const [first, setFirst] = useWindow(current, told.length);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another member is another choice
  useEffect(() => setChosen(undefined), [member]);
  const turn = (kind: StoryKind) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    setHidden(next);
  };
  return (
    <>
      <fieldset className="filters">
        <legend>What to show</legend>
        <select aria-label="of whom" value={of} onChange={({ target }) => setChosen(target.value)}>
          <option value="">all members</option>
          {members.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        {STORY_KINDS.map((kind) => (
          <label key={kind}>
            <input type="checkbox" checked={!hidden.has(kind)} onChange={() => turn(kind)} /> {kind}
          </label>
        ))}
      </fieldset>
      <Lines told={told} first={first} current={current} onFirst={setFirst} onGo={onGo} onAsk={onAsk} />
    </>
  );
}

function toldOf(lines: readonly StoryLine[], member: string, hidden: ReadonlySet<StoryKind>): readonly StoryLine[] {
  if (member === '' && hidden.size === 0) return lines;
  return lines.filter(
    (line) => !hidden.has(line.kind) && (member === '' || line.member === undefined || line.member === member),
  );
}

/** Which line is the first that is shown: it follows the current one, until somebody looks elsewhere. */
function useWindow(current: number, count: number): readonly [first: number, set: (first: number) => void] {
  const [looked, setLooked] = useState<{ readonly first: number; readonly current: number }>();
  // Blocks, so that what is shown stays where it is while time goes by within one.
  const block = SHOWN / 2;
  const followed = Math.max(Math.floor(current / block) * block - block / 2, 0);
  const first = looked !== undefined && looked.current === current ? looked.first : followed;
  const most = Math.max(count - 1, 0);
  return [Math.min(first, most), (next) => setLooked({ first: Math.min(Math.max(next, 0), most), current })];
}

interface LinesProps {
  readonly told: readonly StoryLine[];
  readonly first: number;
  readonly current: number;
  readonly onFirst: (first: number) => void;
  readonly onGo: (atMicros: number) => void;
  readonly onAsk: (question: Question) => void;
}

function Lines({ told, first, current, onFirst, onGo, onAsk }: LinesProps): ReactNode {
  const now = useRef<HTMLLIElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the current line
  useEffect(() => {
    // Within its own box: the page stays where it is.
    const [box, line] = [list.current, now.current];
    if (!box || !line) return;
    const above = line.offsetTop;
    if (above < box.scrollTop || above + line.offsetHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = above - box.clientHeight / 2;
  }, [current, first]);
  const after = told.length - first - SHOWN;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys
    <section ref={list} className="lines" tabIndex={0} aria-label="What happened">
      {first > 0 && (
        <button type="button" className="more" onClick={() => onFirst(first - SHOWN / 2)}>
          {first} earlier lines
        </button>
      )}
      <ol className="story">
        {told.slice(first, first + SHOWN).map((line, i) => (
          <li
            // Lines that go make room for those that come: their elements are used again.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={(first + i) % SHOWN}
            ref={first + i === current ? now : undefined}
            className={first + i > current ? 'later' : ''}
            aria-current={first + i === current ? 'time' : undefined}
          >
            <Line line={line} onGo={onGo} onAsk={onAsk} />
          </li>
        ))}
      </ol>
      {after > 0 && (
        <button type="button" className="more" onClick={() => onFirst(first + SHOWN / 2)}>
          {after} later lines
        </button>
      )}
    </section>
  );
}

interface LineProps {
  readonly line: StoryLine;
  readonly onGo: (atMicros: number) => void;
  readonly onAsk: (question: Question) => void;
}

const Line = memo(function Line({ line, onGo, onAsk }: LineProps): ReactNode {
  return (
    <>
      <button type="button" onClick={() => onGo(line.atMicros)} data-kind={line.kind}>
        <time>{formatInstant(line.atMicros)}</time> {line.text}
      </button>
      {line.turn > 0 && (
        <button
          type="button"
          className="why-this"
          aria-label={`why: ${line.text}`}
          onClick={() => onAsk({ kind: 'event', turn: line.turn })}
        >
          why
        </button>
      )}
    </>
  );
});

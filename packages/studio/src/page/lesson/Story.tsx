import { formatInstant } from '@replsim/kernel';
import * as Checkbox from 'radix-ui/checkbox';
import {
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { History } from '../../core/history/history.ts';
import { countUpTo } from '../../core/history/search.ts';
import type { StoryLine } from '../../core/run/player.ts';
import { STORY_KINDS, type StoryKind } from '../../core/run/storyKind.ts';
import { useActions, usePage } from '../context.ts';
import { Choice } from '../controls/Choice.tsx';

/** So many lines are shown at once, whatever their number. */
const SHOWN = 40;

interface Props {
  readonly lines: readonly StoryLine[];
  readonly history: History;
}

/** The transcript, in step with the time, of a member and of some kinds; a click goes to the instant, or asks why. */
export function Story({ lines, history }: Props): ReactNode {
  const { atMicros, member } = usePage();
  const [chosen, setChosen] = useState<string>();
  const [hidden, setHidden] = useState<ReadonlySet<StoryKind>>(new Set());
  const of = chosen ?? member ?? '';
  const told = useMemo(() => toldOf(lines, of, hidden), [lines, of, hidden]);
  const current = countUpTo(told, (line) => line.atMicros, atMicros) - 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another member is another choice
  useLayoutEffect(() => setChosen(undefined), [member]);
  const members = history.memberNames.map((name) => ({ value: name, text: name }));
  return (
    <>
      <fieldset className="filters" aria-label="What to show">
        <Choice
          label="of whom"
          isBare
          value={of}
          options={[{ value: '', text: 'all members' }, ...members]}
          onChoose={setChosen}
        />
        <Kinds hidden={hidden} onHide={setHidden} />
      </fieldset>
      <Lines told={told} current={current} />
    </>
  );
}

interface KindsProps {
  readonly hidden: ReadonlySet<StoryKind>;
  readonly onHide: (hidden: ReadonlySet<StoryKind>) => void;
}

/** Which kinds of lines are shown. */
function Kinds({ hidden, onHide }: KindsProps): ReactNode {
  return STORY_KINDS.map((kind) => (
    <Checkbox.Root
      key={kind}
      className="chip"
      checked={!hidden.has(kind)}
      onCheckedChange={() => {
        const next = new Set(hidden);
        if (!next.delete(kind)) next.add(kind);
        onHide(next);
      }}
    >
      {kind}
    </Checkbox.Root>
  ));
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

/**
 * Keeps a line in the middle of its box, until somebody scrolls: where the list stands says which line is current, and not how one came there.
 * @param current which line it is
 */
function useCentred(list: RefObject<HTMLElement | null>, now: RefObject<HTMLElement | null>, current: number): void {
  const placed = useRef(0);
  const centre = useCallback(() => {
    const [box, line] = [list.current, now.current];
    if (!box || !line) return;
    // Within its own box: the page stays where it is.
    box.scrollTop = line.offsetTop - (box.clientHeight - line.offsetHeight) / 2;
    placed.current = box.scrollTop;
  }, [list, now]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the current line
  useEffect(centre, [centre, current]);
  useEffect(() => {
    // Lines wrap elsewhere once their font is there, and panels are resized.
    const observer = new ResizeObserver(() => list.current?.scrollTop === placed.current && centre());
    for (const each of [list.current, list.current?.querySelector('ol')]) if (each) observer.observe(each);
    return () => observer.disconnect();
  }, [centre, list]);
}

interface LinesProps {
  readonly told: readonly StoryLine[];
  readonly current: number;
}

function Lines({ told, current }: LinesProps): ReactNode {
  const [first, setFirst] = useWindow(current, told.length);
  const now = useRef<HTMLLIElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useCentred(list, now, current);
  const after = told.length - first - SHOWN;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys
    <section ref={list} className="lines" tabIndex={0} aria-label="What happened">
      {first > 0 && (
        <button type="button" className="more" onClick={() => setFirst(first - SHOWN / 2)}>
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
            <Line line={line} />
          </li>
        ))}
      </ol>
      {after > 0 && (
        <button type="button" className="more" onClick={() => setFirst(first + SHOWN / 2)}>
          {after} later lines
        </button>
      )}
    </section>
  );
}

const Line = memo(function Line({ line }: { readonly line: StoryLine }): ReactNode {
  const { go, ask } = useActions();
  return (
    <>
      <button type="button" onClick={() => go(line.atMicros)} data-kind={line.kind}>
        <time>{formatInstant(line.atMicros)}</time> <span>{line.text}</span>
      </button>
      {line.turn > 0 && (
        <button
          type="button"
          className="why-this"
          aria-label={`why: ${line.text}`}
          onClick={() => ask({ kind: 'event', turn: line.turn })}
        >
          why
        </button>
      )}
    </>
  );
});

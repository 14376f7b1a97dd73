import { formatInstant } from '@replsim/kernel';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { countUpTo } from '../history/search.ts';
import type { StoryLine } from '../run/player.ts';

/** So many lines before and after the instant are shown. */
const AROUND = 60;

interface Props {
  readonly lines: readonly StoryLine[];
  readonly atMicros: number;
  /** Only what this member did, if one is given. */
  readonly member: string | undefined;
  readonly onGo: (atMicros: number) => void;
}

/** The transcript, in step with the time; a click goes to the instant. */
export function Story({ lines, atMicros, member, onGo }: Props): ReactNode {
  const now = useRef<HTMLLIElement>(null);
  const told = useMemo(
    () => lines.filter((line) => member === undefined || line.member === undefined || line.member === member),
    [lines, member],
  );
  const current = countUpTo(told, (line) => line.atMicros, atMicros) - 1;
  const first = Math.max(current - AROUND, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the current line
  useEffect(() => {
    // Browsers of today return a promise, which would be taken for a way to clean up.
    now.current?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <ol className="story" aria-label="What happened">
      {told.slice(first, current + AROUND).map((line, i) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added
          key={first + i}
          ref={first + i === current ? now : undefined}
          className={first + i > current ? 'later' : ''}
          aria-current={first + i === current ? 'time' : undefined}
        >
          <button type="button" onClick={() => onGo(line.atMicros)}>
            <time>{formatInstant(line.atMicros)}</time> {line.text}
          </button>
        </li>
      ))}
    </ol>
  );
}

import { formatInstant } from '@replsim/kernel';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Moment } from '../core/history/history.ts';

/** Who scrubs is not told of every instant, but of where they stay. Unit: ms. */
const STAYS_MS = 600;
/** While time goes by, changes of state are told together. Unit: ms. */
const PLAYING_MS = 3000;

interface Props {
  readonly moment: Moment;
  readonly isPlaying: boolean;
  /** What happened last, in a sentence. */
  readonly caption: string | undefined;
}

/** Tells who listens to the page where they are, and what has changed in the set since it last spoke. */
export function Announcer({ moment, isPlaying, caption }: Props): ReactNode {
  const [said, setSaid] = useState('');
  const latest = useRef(moment);
  latest.current = moment;
  const latestCaption = useRef(caption);
  latestCaption.current = caption;
  const toldCaption = useRef(caption);
  const told = useRef<ReadonlyMap<string, string>>(new Map());
  const toldAt = useRef<string | undefined>(undefined);
  const tell = useRef((_at: string | undefined) => {});
  tell.current = (at) => {
    const states = statesOf(latest.current);
    const changes = [...states].filter(([name, state]) => told.current.get(name) !== state);
    told.current = states;
    // While the run comes about, states may change and change back: who has heard of an instant is not told of it alone.
    if (at !== undefined && at === toldAt.current && changes.length === 0) return;
    toldAt.current = at;
    const isNews = toldCaption.current !== latestCaption.current;
    toldCaption.current = latestCaption.current;
    const news = isNews && at === undefined && latestCaption.current !== undefined ? [latestCaption.current] : [];
    const parts = [...(at === undefined ? [] : [at]), ...news, ...changes.map(([name, state]) => `${name} ${state}`)];
    if (parts.length > 0) setSaid(parts.join(', '));
  };
  const { atMicros } = moment;
  // They come about while the run does, too.
  const states = [...statesOf(moment).values()].join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it tells changes with them
  useEffect(() => {
    if (isPlaying) return;
    const stays = setTimeout(() => tell.current(formatInstant(atMicros)), STAYS_MS);
    return () => clearTimeout(stays);
  }, [atMicros, states, isPlaying]);
  useEffect(() => {
    if (!isPlaying) return;
    const often = setInterval(() => tell.current(undefined), PLAYING_MS);
    return () => clearInterval(often);
  }, [isPlaying]);
  return (
    <div className="heard" aria-live="polite" role="status">
      {said}
    </div>
  );
}

function statesOf({ members }: Moment): ReadonlyMap<string, string> {
  return new Map(
    members.map(({ name, state, process, acceptsWrites }) => [
      name,
      process === 'paused' ? 'paused' : `${state}${acceptsWrites && state === 'PRIMARY' ? ', accepts writes' : ''}`,
    ]),
  );
}
